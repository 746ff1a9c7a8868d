// Posts the form of a login's answer to the partner. A field of it may be named `submit`.
HTMLFormElement.prototype.submit.call(document.forms[0]);
