package main

import (
	"slices"
	"testing"
)

// meta is a page and a worker that share one file; the page loads panels later.
const meta = `{"outputs": {
	"dist/main.js": {"entryPoint": "src/main.ts", "imports": [{"path": "dist/chunk-A.js", "kind": "import-statement"}, {"path": "dist/panels-B.js", "kind": "dynamic-import"}]},
	"dist/worker.js": {"entryPoint": "src/worker.ts", "imports": [{"path": "dist/chunk-A.js", "kind": "import-statement"}]},
	"dist/panels-B.js": {"entryPoint": "src/ui/panels.ts", "imports": [{"path": "dist/main.js", "kind": "import-statement"}]},
	"dist/chunk-A.js": {"imports": []}}}`

// TestChunks: shared files are named by who needs them, and the page asks at once for
// what it cannot begin without, but not for what it loads later.
func TestChunks(t *testing.T) {
	made, err := readOutputs(meta)
	if err != nil {
		t.Fatal(err)
	}
	made, files := made.rename(map[string][]byte{
		"main.js": []byte(`import"./chunk-A.js";import("./panels-B.js")`), "worker.js": []byte(`import"./chunk-A.js"`),
		"panels-B.js": []byte(`import"./main.js"`), "chunk-A.js": []byte(`1`),
	})
	shared := "main-panels-worker.js"
	if got, want := string(files["main.js"]), `import"./`+shared+`";import("./panels.js")`; got != want {
		t.Errorf("main.js is %s, want %s", got, want)
	}
	if len(files) != 4 || string(files[shared]) != "1" || files["panels.js"] == nil {
		t.Errorf("the files are %q", files)
	}
	if got := made.loads("main.js"); !slices.Equal(got, []string{shared, "main.js"}) {
		t.Errorf("the page begins with %v", got)
	}
	if got := made.loads("panels.js"); !slices.Equal(got, []string{shared, "main.js", "panels.js"}) {
		t.Errorf("the panels need %v", got)
	}
	page, err := made.preload([]byte(`<a><link rel="modulepreload" href="main.js"><b>`))
	if want := `<a><link rel="modulepreload" href="` + shared + `">` + "\n" + `<link rel="modulepreload" href="main.js"><b>`; err != nil || string(page) != want {
		t.Errorf("the page is %s, %v", page, err)
	}
	if _, err := made.preload([]byte(`<a>`)); err == nil {
		t.Error("a page without the link is taken")
	}
}
