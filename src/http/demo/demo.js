// What the demo's pages do better with scripts. Named in the policy by hash.
(() => {
  // The answer of a login in the fragment, which no server gets to see.
  if (document.querySelector('[data-fragment]') && location.hash.length > 1) {
    location.replace(`${location.pathname}?${location.hash.slice(1)}`);
  }

  for (const button of document.querySelectorAll('[data-copy]')) {
    const name = button.getAttribute('aria-label');
    const restore = () => {
      button.textContent = 'Copy';
      button.setAttribute('aria-label', name);
    };
    const tell = () => {
      button.textContent = 'Copied';
      button.setAttribute('aria-label', 'Copied');
    };
    button.hidden = false;
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(button.getAttribute('data-copy')).then(tell);
    });
    button.addEventListener('blur', restore);
    button.addEventListener('pointerleave', restore);
  }

  const clocks = [...document.querySelectorAll('[data-until]')];
  const two = (number) => String(number).padStart(2, '0');
  const tick = () => {
    for (const clock of clocks) {
      const left = Math.ceil((Number(clock.getAttribute('data-until')) - Date.now()) / 1000);
      const hours = left < 3600 ? '' : `${Math.floor(left / 3600)}:`;
      clock.classList.toggle('over', left <= 0);
      clock.textContent =
        left <= 0
          ? 'over'
          : `${hours}${two(Math.floor((left % 3600) / 60))}:${two(left % 60)} left`;
    }
  };
  tick();
  if (clocks.length > 0) setInterval(tick, 1000);
})();
