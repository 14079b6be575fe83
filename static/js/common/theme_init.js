// Runs before the first paint, so that the chosen theme does not flash: the preferences of this device.
for (const name of ["theme", "deck", "courts", "sound", "last"]) {
  try {
    const value = localStorage.getItem(`casino.${name}`);
    if (value) document.documentElement.dataset[name] = value;
  } catch {
    break;
  }
}
