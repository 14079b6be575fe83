// Runs before the first paint, so that the chosen theme does not flash.
for (const name of ["theme", "deck", "courts"]) {
  try {
    const value = localStorage.getItem(`casino.${name}`);
    if (value) document.documentElement.dataset[name] = value;
  } catch {
    break;
  }
}
