// Package e2e plays in real browsers: its tests start the program as a child
// process, open its page in Chromium, and do what players do. The module is
// one of its own so that players never compile it.
//
//	cd e2e && go test ./...                      # -short skips all of it
//	cd e2e && go test ./... -shots ../docs/images  # also makes the pictures of the README
package e2e
