/* Set the equations of a page, which arithmatex leaves in \( … \) and \[ … \]. */
document.addEventListener("DOMContentLoaded", () => {
  for (const part of document.querySelectorAll(".arithmatex")) {
    renderMathInElement(part, {
      delimiters: [
        { left: "\\(", right: "\\)", display: false },
        { left: "\\[", right: "\\]", display: true },
      ],
      throwOnError: false,
    });
  }
});
