// Runs before anything is painted: the chosen light and colours, so that nothing flashes.
for (const name of ["theme", "deck", "courts"]) {
  try {
    const value = localStorage.getItem(`casino.${name}`);
    if (value) document.documentElement.dataset[name] = value;
  } catch {
    break;
  }
}
