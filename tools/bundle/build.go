package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// options are what every build has in common.
func options(root string) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir: root,
		Bundle:        true,
		Format:        api.FormatESModule,
		Target:        api.ES2022,
		Charset:       api.CharsetUTF8,
		LogLevel:      api.LogLevelWarning,
		LegalComments: api.LegalCommentsNone, // licences.txt has them whole
		TreeShaking:   api.TreeShakingTrue,
		Metafile:      true,
		Alias:         map[string]string{"three": "three/src/Three.js"},
		Plugins:       []api.Plugin{lean()},
	}
}

// languages are files of their own besides English, which the page loads if they are chosen.
var languages = []string{"de"}

// bundleClient returns the files of web/dist by name, and what of them imports what.
func bundleClient(root string) (map[string][]byte, outputs, error) {
	o := options(root)
	o.EntryPoints = []string{"src/main.ts", "src/worker.ts", "src/worldmap.ts"}
	for _, name := range languages {
		o.EntryPoints = append(o.EntryPoints, "src/lang/"+name+".ts")
	}
	o.EntryNames, o.ChunkNames = "[name]", "[name]-[hash]"
	o.Splitting = true // what is loaded later, and what the page and its worker share, are files of their own
	o.Outdir = filepath.Join(root, "dist")
	o.MinifyWhitespace, o.MinifyIdentifiers, o.MinifySyntax = true, true, true
	o.Define = map[string]string{"DEV": "false"}
	o.Plugins = append(o.Plugins, shaders())
	files, meta, err := build(o)
	if err != nil {
		return nil, nil, err
	}
	made, err := readOutputs(meta)
	if err != nil {
		return nil, nil, err
	}
	made, files = made.rename(files)
	if err := addStatic(root, files); err != nil {
		return nil, nil, err
	}
	if files["index.html"], err = made.preload(files["index.html"]); err != nil {
		return nil, nil, err
	}
	if files["licences.txt"], err = licences(root, meta); err != nil {
		return nil, nil, err
	}
	files, err = compressed(files)
	return files, made, err
}

// addStatic adds what is served as it is; style sheets are minified.
func addStatic(root string, files map[string][]byte) error {
	dir := filepath.Join(root, "static")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if strings.HasSuffix(e.Name(), ".css") {
			r := api.Transform(string(b), api.TransformOptions{Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true, Charset: api.CharsetUTF8})
			if len(r.Errors) > 0 {
				return fmt.Errorf("%s: %s", e.Name(), r.Errors[0].Text)
			}
			b = r.Code
		}
		files[e.Name()] = b
	}
	return nil
}

// bundleTests bundles web/test/*.test.ts for `node --test`.
func bundleTests(root string) error {
	o := options(root)
	tests, err := filepath.Glob(filepath.Join(root, "test", "*.test.ts"))
	if err != nil {
		return err
	}
	o.EntryPoints = append(tests, filepath.Join(root, "test", "bench.ts"))
	o.Outdir = filepath.Join(root, ".build", "test")
	o.OutExtension = map[string]string{".js": ".mjs"}
	o.Platform = api.PlatformNode
	o.Sourcemap = api.SourceMapInline
	o.Define = map[string]string{"DEV": "true"}
	return writeBuild(root, "test", o)
}

// bundleDemo bundles the demo scene of web/demo.
func bundleDemo(root string) error {
	o := options(root)
	o.EntryPoints = []string{"demo/demo.ts", "src/worker.ts"}
	o.EntryNames = "[name]"
	o.Outdir = filepath.Join(root, ".build", "demo")
	o.Sourcemap = api.SourceMapInline
	o.Define = map[string]string{"DEV": "true"}
	if err := writeBuild(root, "demo", o); err != nil {
		return err
	}
	html, err := os.ReadFile(filepath.Join(root, "demo", "index.html"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.Outdir, "index.html"), html, 0o644)
}

func writeBuild(root, name string, o api.BuildOptions) error {
	files, _, err := build(o)
	if err != nil {
		return err
	}
	return write(filepath.Join(root, ".build", name), files)
}

// build runs esbuild and returns the outputs by their name within Outdir, and
// the metafile.
func build(o api.BuildOptions) (map[string][]byte, string, error) {
	r := api.Build(o)
	if len(r.Errors) > 0 {
		var all []error
		for _, m := range r.Errors {
			all = append(all, errors.New(m.Text))
		}
		return nil, "", errors.Join(all...)
	}
	files := map[string][]byte{}
	for _, f := range r.OutputFiles {
		name, err := filepath.Rel(o.Outdir, f.Path)
		if err != nil {
			return nil, "", err
		}
		files[filepath.ToSlash(name)] = f.Contents
	}
	return files, r.Metafile, nil
}
