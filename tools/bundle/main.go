// Bundle makes web/dist, the browser client that the node embeds, from the
// TypeScript in web/src. It is a module of its own so that players never
// compile a bundler. It needs the packages of web/package-lock.json (npm ci).
//
//	go run ./bundle            write web/dist
//	go run ./bundle --check    fail if web/dist is not what the sources give
//	go run ./bundle --test     bundle web/test for node --test into web/.build/test
//	go run ./bundle --serve :8765   serve the demo scene of web/demo
//
// The same sources give the same bytes, wherever they lie.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

func main() {
	web := flag.String("web", "../web", "folder of the client's sources")
	check := flag.Bool("check", false, "compare with web/dist instead of writing it")
	test := flag.Bool("test", false, "bundle the tests for Node")
	serve := flag.String("serve", "", "serve the demo scene at this address")
	flag.Parse()
	if err := run(*web, *check, *test, *serve); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(web string, check, test bool, serve string) error {
	root, err := filepath.Abs(web)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(root, "node_modules", "three")); err != nil {
		return fmt.Errorf("the client's packages are missing: run npm ci in %s first", web)
	}
	if test {
		return bundleTests(root)
	}
	if serve != "" {
		if err := bundleDemo(root); err != nil {
			return err
		}
		fmt.Printf("demo at http://%s/\n", serve)
		return http.ListenAndServe(serve, http.FileServer(http.Dir(filepath.Join(root, ".build", "demo"))))
	}
	files, made, err := bundleClient(root)
	if err != nil {
		return err
	}
	dist := filepath.Join(root, "dist")
	if check {
		return compare(dist, files)
	}
	if err := write(dist, files); err != nil {
		return err
	}
	report(files, made)
	return nil
}
