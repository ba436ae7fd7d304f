package layers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMachinesArePure looks for what an import list does not show: reading the
// wall clock and starting goroutines.
func TestMachinesArePure(t *testing.T) {
	err := filepath.WalkDir(root+"internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if !isPure(module + filepath.ToSlash(filepath.Dir(strings.TrimPrefix(path, root)))) {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine", fset.Position(n.Pos()))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && wallClock[n.Sel.Name] {
					t.Errorf("%s uses time.%s", fset.Position(n.Pos()), n.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var wallClock = map[string]bool{
	"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true,
	"AfterFunc": true, "NewTimer": true, "NewTicker": true, "Tick": true,
}

// TestWithoutRaceDetector: ./check leaves out the race detector for the pure layers, and
// for no others.
func TestWithoutRaceDetector(t *testing.T) {
	b, err := os.ReadFile(root + "check")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("\npure_layers=%q\n", strings.Join(pureLayers, " "))
	if !strings.Contains(string(b), want) {
		t.Errorf("check has no line %s", strings.TrimSpace(want))
	}
}
