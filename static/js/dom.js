// Small helpers over the document: make, find, change only what has changed.

/** The element with an id, which must be there. */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** A new element: `h("p.note", {title: "…"}, "text", child)`. */
export function h(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function set(element, name, value) {
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (value === true) element.setAttribute(name, "");
  else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
}

/** Set a text, leaving the document alone if it is there already. */
export function text(element, value) {
  if (element.textContent !== String(value)) element.textContent = value;
}

/** Show or hide. */
export function show(element, visible) {
  if (element.hidden === visible) element.hidden = !visible;
}

/** Replace the children, but only if what they show, told by `key`, has changed. */
export function fill(element, key, make) {
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  element.replaceChildren(...make());
}

/** Draws at the next frame, once for however many calls come before it. */
export function onceAFrame(draw) {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      draw();
    });
  };
}

/** Whether the person has asked for little movement. */
export function still() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** What the page remembers on this device; silence if it may not. */
export function recall(key, otherwise = null) {
  try {
    return localStorage.getItem(`casino.${key}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Remember something on this device. */
export function remember(key, value) {
  try {
    localStorage.setItem(`casino.${key}`, value);
  } catch {
    // A browser that keeps nothing shows the page all the same.
  }
}
