// Named in the policy by hash. The answer of a login in the fragment, which no server gets to see.
if (document.querySelector('[data-fragment]') && location.hash.length > 1) {
  location.replace(`${location.pathname}?${location.hash.slice(1)}`);
}
