// Owns the served programmes: their services, the apps that answer for them, and exchanging both.

import { openService } from '../../engine/open_service.ts';
import type { Foundation, Service } from '../../engine/service.ts';
import { createApp } from '../../http/app.ts';
import type { App } from '../../http/endpoints.ts';
import { createLoginSite, type LoginSite } from '../../http/login_handlers.ts';
import type { FilledForm } from '../../http/login_pages.ts';
import type { Listener } from '../../http/route_endpoints.ts';
import type { Instant } from '../../lib/clock.ts';
import { networkTest } from '../../lib/ip_address.ts';
import { pause } from '../../lib/pause.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Deployment } from '../../programme/deployment.ts';
import { beginSeries } from '../requests/metrics.ts';
import { type Candidate, type Plan, planServing } from './plan.ts';

/** A programme in service, and since when this version of it is. */
export interface Served extends Candidate {
  readonly site: LoginSite;
  readonly since: Instant;
}

/** What a configuration says about all programmes; may change while they are served. */
export interface ServingSettings {
  readonly trustedProxies: readonly string[];
  /** Whether gateways have a listener of their own. */
  readonly hasGateway: boolean;
  /** Vouch for servers of key sets, in PEM. */
  readonly jwksAuthorities?: string;
  /** More headers of all pages of the public listener, and of the redirects of logins. */
  readonly pageHeaders: Readonly<Record<string, string>>;
}

/** Members with which login forms are filled in; only for `dev`. */
type FilledForms = ReadonlyMap<ProgrammeId, FilledForm>;

const usualSettings: ServingSettings = {
  trustedProxies: [],
  hasGateway: false,
  pageHeaders: {},
};

/** Requests under way end in the version that they began in. */
export class Programmes {
  readonly #foundation: Foundation;
  readonly #filled: FilledForms;
  #settings: ServingSettings;
  #served: ReadonlyMap<ProgrammeId, Served> = new Map();
  #deployment: Deployment = new Map();
  #apps: Readonly<Record<'main' | 'gateway', App>>;

  constructor(
    foundation: Foundation,
    settings: ServingSettings = usualSettings,
    filled: FilledForms = new Map(),
  ) {
    this.#foundation = {
      ...foundation,
      jwksAuthorities: () => this.#settings.jwksAuthorities,
    };
    this.#settings = settings;
    this.#filled = filled;
    this.#apps = this.#makeApps();
  }

  /** The app of the public listener. */
  get app(): App {
    return this.#apps.main;
  }

  /** The paths for gateways, for a listener of their own. */
  get gatewayApp(): App {
    return this.#apps.gateway;
  }

  get served(): ReadonlyMap<ProgrammeId, Served> {
    return this.#served;
  }

  services(): readonly Service[] {
    return [...this.#served.values()].map(({ site }) => site.service);
  }

  /** Takes the plan's programmes into service. Until it resolves, those of before are served. */
  async take(plan: Plan): Promise<void> {
    (await this.prepare(plan))();
  }

  /** Opens the plan's programmes; what it resolves to takes them into service, at one stroke. */
  async prepare({ mounted, deployed }: Plan): Promise<() => void> {
    const opening: Promise<Served>[] = [];
    for (const [id, candidate] of mounted) {
      const former = this.#served.get(id);
      if (former === candidate) continue;
      const opened = this.#open(candidate, former);
      // Awaited below, together: they share the store's commits.
      opened.catch(() => undefined);
      opening.push(opened);
      // At the start nobody waits.
      if (this.#served.size > 0) await pause();
    }
    const opened = new Map((await Promise.all(opening)).map((one) => [one.programme.id, one]));
    await pause();
    return () => {
      this.#served = new Map(
        [...mounted.keys()].flatMap((id) => {
          const one = opened.get(id) ?? this.#served.get(id);
          return one === undefined ? [] : [[id, one] as const];
        }),
      );
      this.#deployment = deployed.deployment;
      this.#apps = this.#makeApps();
    };
  }

  /** Serves by other settings from now on. */
  follow(settings: ServingSettings): void {
    this.#settings = settings;
    this.#apps = this.#makeApps();
  }

  async #open(candidate: Candidate, former: Served | undefined): Promise<Served> {
    const { programme, credentials } = candidate;
    const options = { credentials, former: former?.site.service };
    const service = await openService(programme, this.#foundation, options);
    const site = createLoginSite(service, this.#filled.get(programme.id));
    beginSeries(programme.id);
    return { ...candidate, site, since: candidate.since ?? this.#foundation.clock.now() };
  }

  #makeApps(): Readonly<Record<'main' | 'gateway', App>> {
    const { trustedProxies, hasGateway, pageHeaders } = this.#settings;
    const sites = new Map([...this.#served].map(([id, { site }]) => [id, site]));
    const isProxy = networkTest(trustedProxies);
    const appOf = (listener: Listener): App => {
      const options = { isProxy, listener, pageHeaders };
      return createApp(this.#deployment, sites, this.#foundation.log, options);
    };
    return { main: appOf(hasGateway ? 'main' : 'all'), gateway: appOf('gateway') };
  }
}

/** Serves programmes that were made without files, as those of `dev` are. */
export async function serveAll(
  candidates: readonly Candidate[],
  foundation: Foundation,
  filled?: FilledForms,
): Promise<{ readonly programmes: Programmes; readonly plan: Plan }> {
  const programmes = new Programmes(foundation, usualSettings, filled);
  const all = new Map(candidates.map((one) => [one.programme.id, one]));
  const plan = await planServing(all, programmes.served, foundation.store);
  await programmes.take(plan);
  return { programmes, plan };
}
