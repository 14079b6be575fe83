// Small helpers over the document: make, find, change only what has changed.

/**
 * Attributes of a new element; a function, under a name like "onclick", listens.
 * @typedef {Record<string, string | number | boolean | null | undefined | (() => unknown)>} Attributes
 */

/**
 * The element with an id, which must be there.
 * @template {Element} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [kind] of which class it must be
 * @returns {T}
 */
export function byId(id, kind) {
  return required(document.getElementById(id), id, kind);
}

/**
 * The element within another that a selector finds, which must be there.
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => T} [kind] of which class it must be
 * @returns {T}
 */
export function within(parent, selector, kind) {
  return required(parent.querySelector(selector), selector, kind);
}

/**
 * @template {Element} [T=HTMLElement]
 * @param {Element | null} element
 * @param {string} name
 * @param {new () => T} [kind]
 * @returns {T}
 */
function required(element, name, kind) {
  if (!element || (kind && !(element instanceof kind))) throw new Error(`the page has no ${name}`);
  return /** @type {T} */ (element);
}

/**
 * A new element: `h("p.note", {title: "…"}, "text", child)`.
 * @param {string} what
 * @param {Attributes} [attributes]
 * @param {(Node | string | null | undefined)[]} children
 */
export function h(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {Attributes[string]} value
 */
function set(element, name, value) {
  if (typeof value === "function") element.addEventListener(name.slice(2), value);
  else if (value === true) element.setAttribute(name, "");
  else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, `${value}`);
}

/**
 * Set a text, leaving the document alone if it is there already.
 * @param {Element} element
 * @param {string | number} value
 */
export function text(element, value) {
  if (element.textContent !== String(value)) element.textContent = String(value);
}

/**
 * Show or hide.
 * @param {Element} element
 * @param {boolean} visible
 */
export function show(element, visible) {
  if (element.hasAttribute("hidden") === visible) element.toggleAttribute("hidden", !visible);
}

/**
 * Replace the children, but only if what they show, told by `key`, has changed.
 * @param {HTMLElement} element
 * @param {string} key
 * @param {() => (Node | null)[]} make
 */
export function fill(element, key, make) {
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  element.replaceChildren(...make().filter((child) => child !== null));
}

/**
 * Draws at the next frame, once for however many calls come before it.
 * @param {() => void} draw
 */
export function oncePerFrame(draw) {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      draw();
    });
  };
}

/** Whether the person has asked for little movement. */
export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * What the page remembers on this device; silence if it may not.
 * @param {string} key
 * @param {string} [otherwise]
 */
export function recall(key, otherwise = "") {
  try {
    return localStorage.getItem(`casino.${key}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * Remember something on this device.
 * @param {string} key
 * @param {string} value
 */
export function remember(key, value) {
  try {
    localStorage.setItem(`casino.${key}`, value);
  } catch {
    // A browser that keeps nothing shows the page all the same.
  }
}
