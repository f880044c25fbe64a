// Code and tables that are wider than the page scroll sideways. Let the keyboard reach those that do.
document.addEventListener("DOMContentLoaded", () => {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) {
        target.tabIndex = 0;
      } else {
        target.removeAttribute("tabindex");
      }
    }
  });
  document.querySelectorAll("article :is(pre, .table-wrapper)").forEach((each) => observer.observe(each));
});
