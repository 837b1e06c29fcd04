// What every page of the server does: language and light as the visitor likes them, kept from page to page.
const language = document.getElementById("language");
language?.addEventListener("change", () => {
  document.cookie = `kemps_language=${language.value}; path=/; max-age=31536000; samesite=strict`;
  const address = new URL(location.href);
  address.searchParams.delete("lang");
  location.replace(address);
});

const theme = document.getElementById("theme");
const lit = (wanted) => {
  if (wanted === "light" || wanted === "dark") document.documentElement.dataset.theme = wanted;
  else delete document.documentElement.dataset.theme;
};
try {
  const kept = localStorage.getItem("kemps-theme") ?? "auto";
  lit(kept);
  if (theme) theme.value = kept;
} catch { /* storage may be forbidden; then the choice lasts as long as the page */ }
theme?.addEventListener("change", () => {
  lit(theme.value);
  try { localStorage.setItem("kemps-theme", theme.value); } catch { /* as above */ }
});
