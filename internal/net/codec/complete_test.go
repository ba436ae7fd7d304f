package codec

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sources are the packages whose messages travel between nodes.
var sources = []string{"cluster/kademlia", "game/region", "game/lobby", "cluster/node", "cluster/node/routing", "cluster/node/copies", "cluster/node/accountability", "cluster/node/shardgroup", "cluster/group", "verified/overlay", "verified/storage/messages", "net/nat/traversal"}

// parts are exported structs beside the messages that are no messages: what
// messages are made of, and results that stay within a node.
var parts = map[string]string{
	"kademlia.Result":    "goes up through Events",
	"region.Column":      "part of Columns",
	"region.SignText":    "part of Signs",
	"region.Slot":        "part of Inventory",
	"region.BlockChange": "part of Blocks",
	"lobby.PlayerInfo":   "part of Players",
	"lobby.Decided":      "from the node itself",
	"region.Decided":     "from the node itself",
	"region.Merge":       "from the node itself",
	"region.Merged":      "to the node itself",
	"group.Gen":          "part of all of them",
	"node.Part":          "part of all of them",
	"overlay.Route":      "part of what is routed",
	"traversal.Offer":    "part of Signal",
	"node.Watcher":       "part of ToWatchers",
	"copies.SavedState":  "part of States",
	"node.Origin":        "from a session of the node itself",
	"messages.Around":    "part of Result",
}

// TestEveryMessageHasACodec looks for messages that no number was given to: the
// structs declared in message files, what is sent as a literal, and what type
// switches over a machine.Message ask for.
func TestEveryMessageHasACodec(t *testing.T) {
	known := map[string]bool{}
	for typ := range byType {
		known[typ.Elem().String()] = true
	}
	count := 0
	for _, pkg := range sources {
		names := messagesOf(t, pkg)
		count += len(names)
		for name, where := range names {
			full := filepath.Base(pkg) + "." + name
			if why, part := parts[full]; part && known[full] {
				t.Errorf("%s has a number, but is said to be: %s", full, why)
			} else if !part && !known[full] {
				t.Errorf("%s (%s) has no codec: give it a number in this package, or say in parts why it needs none", full, where)
			}
		}
	}
	if count < 60 {
		t.Errorf("only %d messages were found: does this test still look in the right places?", count)
	}
}

// messagesOf returns the exported structs of a package that are messages, and
// where each was found.
func messagesOf(t *testing.T, pkg string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("../..", pkg, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in %s: %v", pkg, err)
	}
	structs, found := map[string]bool{}, map[string]string{}
	note := func(e ast.Expr, where string) {
		if id, ok := e.(*ast.Ident); ok && id.IsExported() {
			found[id.Name] = where
		}
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(path)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if _, ok := n.Type.(*ast.StructType); ok {
					structs[n.Name.Name] = true
					if strings.HasPrefix(base, "message") {
						note(n.Name, base)
					}
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Send" {
					for _, arg := range n.Args {
						note(literal(arg), base)
					}
				}
			case *ast.FuncDecl:
				if takesMessage(n) {
					ast.Inspect(n, func(n ast.Node) bool { cases(n, func(e ast.Expr) { note(e, base) }); return true })
				}
			}
			return true
		})
	}
	for name := range found {
		if !structs[name] {
			delete(found, name)
		}
	}
	return found
}

// literal returns T of &T{…}, otherwise nil.
func literal(e ast.Expr) ast.Expr {
	if u, ok := e.(*ast.UnaryExpr); ok {
		if c, ok := u.X.(*ast.CompositeLit); ok {
			return c.Type
		}
	}
	return nil
}

func takesMessage(f *ast.FuncDecl) bool {
	for _, p := range f.Type.Params.List {
		if s, ok := p.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Message" {
			return true
		}
	}
	return false
}

// cases calls note for each T that a type switch has a case *T for.
func cases(n ast.Node, note func(ast.Expr)) {
	s, ok := n.(*ast.TypeSwitchStmt)
	if !ok {
		return
	}
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if p, ok := e.(*ast.StarExpr); ok {
				note(p.X)
			}
		}
	}
}

// The page lists every message with its number.
func TestPageListsEveryMessage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/protocols/nodes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range byNumber {
		if k == nil {
			continue
		}
		if row := fmt.Sprintf("\n| %d | `%s` |", k.number, k.typ.Elem()); !strings.Contains(string(page), row) {
			t.Errorf("docs/protocols/nodes.md has no row %q", row[1:])
		}
	}
}
