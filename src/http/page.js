// What pages do better with scripts; without, they do all they must. Named in the policy by hash.
(() => {
  const password = document.getElementById('password');
  const transaction = password?.form.elements.transaction.value;
  // Chromium shows the answer to a POST no second time: Back and reload are to ask for the form.
  history.replaceState(null, '', transaction && `?transaction=${transaction}`);
  const reveal = document.getElementById('reveal');
  if (!password || !reveal) return;
  document.getElementById('alert')?.focus();

  const show = (shown) => {
    password.type = shown ? 'text' : 'password';
    reveal.setAttribute('aria-pressed', String(shown));
  };
  reveal.hidden = false;
  reveal.addEventListener('click', () => show(password.type === 'password'));

  // A second click while the first is on its way would be a second attempt.
  const { form } = password;
  const free = () => (form.className = '');
  form.addEventListener('submit', (event) => {
    if (form.className === 'sent') event.preventDefault();
    else setTimeout(free, 3000);
    form.className = 'sent';
    show(false);
  });
  addEventListener('pageshow', free);
})();
