// Named in the policy by hash. The answer of a login in the fragment, which no server gets to see.
if (document.querySelector('[data-fragment]') && location.hash.length > 1) {
  location.replace(`${location.pathname}?${location.hash.slice(1)}`);
}
for (const button of document.querySelectorAll('.copy')) {
  const copy = async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = 'Copied';
    button.ariaLabel = button.ariaLabel.replace('Copy', 'Copied');
  };
  button.hidden = false;
  button.addEventListener('click', () => void copy());
}
