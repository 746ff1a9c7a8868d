// Named in the policy by hash. The answer of a login in the fragment, which no server gets to see.
if (document.querySelector('[data-fragment]') && location.hash.length > 1) {
  location.replace(`${location.pathname}?${location.hash.slice(1)}`);
}
async function copy(button) {
  await navigator.clipboard.writeText(button.previousElementSibling.textContent);
  button.textContent = 'Copied';
  button.ariaLabel = button.ariaLabel.replace('Copy', 'Copied');
}
for (const button of document.querySelectorAll('.copy')) {
  button.hidden = false;
  button.addEventListener('click', () => void copy(button));
}
