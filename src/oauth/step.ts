// Owns the names of the steps in which a request is answered, in the order in which each kind of request
// takes them.

/** What each step does, for operators. */
export const steps = {
  arrival: 'finding the endpoint, its methods, and room for one more request',
  service: 'whether the programme is in service',
  inputs: 'reading the body and the parameters',
  credentials: "reading the client's credentials",
  headers: 'the headers that every request needs',
  client: 'finding the client, and proving that it is the caller',
  client_values: 'comparing what was sent with the registration of the client',
  grant_type: 'which grant is asked for, and whether the client may have it',
  parameters: 'the parameters of this kind of request',
  scope: 'whether the scope exists',
  throttle: 'counting the request against the limit',
  grant: 'the grant itself: its code, refresh token, or member',
  programme: 'whether the link means this programme',
  redirect_uri: 'where the member is sent back to',
  role: 'whether the client may log members in',
  transaction: 'opening the login that the browser carries',
  form: 'whether the form came from the page, and is filled in',
  member: 'authenticating the member',
  code: 'issuing the code',
  demand: "reading the gateway's demand",
  api_key: 'the API key',
  token: 'the access token',
  answer: 'making the answer',
} as const;

export type Step = keyof typeof steps;
