const KEY = "broharness-theme";

type Theme = "light" | "dark";

/** The theme that is seen: the person's choice, or else the system's. */
function shownTheme(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function toggleTheme(): void {
  const theme: Theme = shownTheme() === "dark" ? "light" : "dark";
  document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A page from a file may have no storage. The choice then lasts as long as the page.
  }
}

/** Takes up the choice of an earlier visit. */
export function restoreTheme(): void {
  try {
    const theme = localStorage.getItem(KEY);
    if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  } catch {
    // As above.
  }
}
