// DOM helpers that touch the document only when something changes.

/**
 * Attributes of an element; a function under a name such as "onclick" is a listener, "--share" a property of its style.
 * Of a record, for `class`, the names count whose values are truthy.
 * @typedef {string | number | boolean | null | undefined | Record<string, unknown>} Value
 * @typedef {Record<string, Value | ((event: any) => unknown)>} Attributes
 * @typedef {Node | string | null | undefined} Child
 */

// In these, `kind` is the class of which an element must be.

/**
 * Return the element with an id; throw if the page has none.
 * @type {<T extends Element = HTMLElement>(id: string, kind?: new () => T) => T}
 */
export const byId = (id, kind) => required(document.getElementById(id), id, kind);

/**
 * Return the first descendant that matches a selector; throw if there is none.
 * @type {<T extends Element = HTMLElement>(parent: ParentNode, selector: string, kind?: new () => T) => T}
 */
export const within = (parent, selector, kind) => required(parent.querySelector(selector), selector, kind);

/**
 * Return all elements that match a selector.
 * @type {<T extends Element = HTMLElement>(selector: string, kind?: new () => T) => NodeListOf<T>}
 */
export const all = (selector) => document.querySelectorAll(selector);

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** @type {<T extends Element>(element: Element | null, name: string, kind?: new () => T) => T} */
function required(element, name, kind) {
  if (!element || (kind && !(element instanceof kind))) throw new Error(`the page has no ${name}`);
  return /** @type {any} */ (element);
}

/**
 * Create an element: `h("p.note", {title: "…"}, "text", child)`; the attributes may be left out.
 * @param {string} what
 * @param {[first?: Attributes | Child, ...children: Child[]]} rest
 */
export function h(what, ...rest) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  const [first, ...others] = rest;
  const hasAttributes = first && typeof first === "object" && !(first instanceof Node);
  if (hasAttributes) setAttributes(element, first);
  const children = /** @type {Child[]} */ (hasAttributes ? others : rest);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * Set attributes that have changed; null, undefined and false remove one.
 * @param {HTMLElement} element
 * @param {Attributes} attributes
 */
export function setAttributes(element, attributes) {
  for (const [name, given] of Object.entries(attributes)) {
    const value = given && typeof given === "object" ? truthyNames(given) : given;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) setProperty(element, name, `${value}`);
    else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== `${value}`)
      element.setAttribute(name, value === true ? "" : `${value}`);
  }
}

/** @param {HTMLElement} element @param {string} name @param {string} value */
function setProperty({ style }, name, value) {
  if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
}

/** @param {Record<string, unknown>} classes */
const truthyNames = (classes) =>
  Object.keys(classes)
    .filter((name) => classes[name])
    .join(" ");

/**
 * Call a function with a form when that is submitted, instead of sending it.
 * @template {HTMLElement} T
 * @param {T} form
 * @param {(form: T) => unknown} submit
 */
export function onSubmit(form, submit) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(form);
  });
}

/**
 * Press the button in a part of the page that names the pressed key as its shortcut, unless the part is hidden; a key
 * typed into a field or a dialog, or pressed with another, is none.
 * @param {HTMLElement} part
 * @param {(event: KeyboardEvent) => void} [otherwise] for the keys that no button names
 */
export function onShortcut(part, otherwise = () => {}) {
  document.addEventListener("keydown", (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    const isTyped = target instanceof Element && target.closest("input, select, dialog");
    if (part.hidden || isTyped || ctrlKey || metaKey || altKey) return;
    const button = part.querySelector(`[aria-keyshortcuts="${CSS.escape(key.toLowerCase())}"]`);
    if (button instanceof HTMLElement) button.click();
    else otherwise(event);
  });
}

/** @param {Element} element @param {string | number} value */
export function text(element, value) {
  if (element.textContent !== String(value)) element.textContent = String(value);
}

/** Hidden, an element passes the focus on to the panel around it. @param {HTMLElement} element @param {boolean} visible */
export function show(element, visible) {
  const panel = !visible && element.contains(document.activeElement) && element.closest("#desk");
  if (panel instanceof HTMLElement) panel.focus();
  element.toggleAttribute("hidden", !visible);
}

/**
 * Replace the children unless `key` is unchanged.
 * @param {HTMLElement} element
 * @param {string} key
 * @param {() => (Node | null)[]} make
 */
export function fill(element, key, make) {
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  element.replaceChildren(...make().filter((child) => child !== null));
}

/** Return a function that draws at the next frame, once for all calls before it. @param {() => void} draw */
export function oncePerFrame(draw) {
  let frame = 0;
  return () => {
    if (frame) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  };
}

/** Return whether no other game begins at this page's table. */
export const isClosing = () => document.body.matches(".closing");

/** Return whether nothing need be shown slowly: no one looks, or wants motion. */
export const isHurried = () => document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Read a value from local storage; storage may be forbidden.
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

/** @param {string} key @param {string} value */
export function remember(key, value) {
  try {
    localStorage.setItem(`casino.${key}`, value);
  } catch {
    // Storage may be forbidden or full: the page works without it.
  }
}
