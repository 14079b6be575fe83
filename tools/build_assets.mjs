// Bundle the scripts of the pages with Rollup; minify them and the style sheets with esbuild.
//
// esbuild alone puts what a page shares with a script that it loads later into files of their own:
// twelve for a table. Rollup keeps one file a page. tools/build_assets.py runs this and says where
// to put the files and which sheets to join; it reads the JSON that this prints.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, parse, relative } from "node:path";
import { build, transform } from "esbuild";
import { rollup } from "rollup";

const [root, output, ...sheets] = process.argv.slice(2);
const STATIC = join(root, "static");
const PAGES = join(STATIC, "js/pages");
const LIBRARIES = {
  "socket.io-client": join(root, "node_modules/socket.io-client/dist/socket.io.esm.min.js"),
};

/** A script loaded later waits for its page, so a page that waits for such a script at its top never ends. */
const NO_WAITING_PAGES = { supported: { "top-level-await": false } };

const plugin = {
  name: "casino",
  resolveId: (name) => LIBRARIES[name] ?? null,
  transform: async (code, id) => {
    if (parse(id).dir === PAGES) await transform(code, { sourcefile: id, ...NO_WAITING_PAGES });
  },
  renderChunk: (code) => transform(code, { minify: true, sourcemap: "external" }),
};

/** Return a module and everything that it imports at once. */
function importsOf(getModuleInfo, id, known = new Set()) {
  if (known.has(id)) return known;
  known.add(id);
  for (const imported of getModuleInfo(id)?.importedIds ?? []) importsOf(getModuleInfo, imported, known);
  return known;
}

/** Return the file of a page's script, its modules, and those of the scripts that it loads later. */
async function bundlePage(page) {
  const entry = join(PAGES, `${page}.js`);
  const onwarn = (warning) => {
    throw new Error(warning.message);
  };
  const bundle = await rollup({ input: entry, plugins: [plugin], onwarn });
  let getModuleInfo;
  const { output: chunks } = await bundle.write({
    dir: output,
    entryFileNames: "js/[name]-[hash].js",
    chunkFileNames: "js/[name]-[hash].js",
    sourcemap: true,
    sourcemapPathTransform: (path, file) => relative(root, join(dirname(file), path)),
    manualChunks: (id, api) => {
      getModuleInfo = api.getModuleInfo;
      return importsOf(getModuleInfo, entry).has(id) ? page : null;
    },
  });
  const names = (id) => [...importsOf(getModuleInfo, id)].map((module) => relative(root, module));
  const later = chunks.filter(({ isDynamicEntry }) => isDynamicEntry);
  return {
    file: chunks.find(({ isEntry }) => isEntry).fileName,
    modules: names(entry),
    later: Object.fromEntries(
      later.map(({ facadeModuleId }) => [parse(facadeModuleId).name, names(facadeModuleId)]),
    ),
  };
}

/** Join sheets, "base+cards", into one: later ones may overrule earlier ones. */
const joinedSheets = {
  name: "sheets",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^base[+\w]*$/ }, ({ path }) => ({ path, namespace: "sheets" }));
    onLoad({ filter: /./, namespace: "sheets" }, ({ path }) => ({
      contents: path.split("+").map((name) => `@import "./${name}.css";`).join("\n"),
      resolveDir: join(STATIC, "css"),
      loader: "css",
    }));
  },
};

async function bundleSheets() {
  const { metafile } = await build({
    entryPoints: sheets.map((names) => ({ in: names, out: names })),
    absWorkingDir: output,
    outdir: ".",
    entryNames: "css/[name]-[hash]",
    assetNames: "fonts/[name]-[hash]",
    bundle: true,
    minify: true,
    metafile: true,
    loader: { ".woff2": "file" },
    plugins: [joinedSheets],
  });
  const entries = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint);
  return Object.fromEntries(
    entries.map(([file, { entryPoint }]) => [`${entryPoint.replace("sheets:", "css/")}.css`, file]),
  );
}

/** Return the script that every page runs before it is painted, to be written into it. */
async function inlineScript() {
  const source = readFileSync(join(STATIC, "js/common/theme_init.js"), "utf8");
  const { code } = await transform(source, { minify: true, format: "iife" });
  return { code: code.trim(), hash: `sha256-${createHash("sha256").update(code.trim()).digest("base64")}` };
}

const names = readdirSync(PAGES).map((file) => parse(file).name);
const pages = await Promise.all(names.map(async (name) => [name, await bundlePage(name)]));
const made = { pages: Object.fromEntries(pages), sheets: await bundleSheets(), inline: await inlineScript() };
console.log(JSON.stringify(made));
