package nodelab

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

func TestBrowserSpeaks(t *testing.T) {
	slowtest.Skip(t, "starts a browser")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := openBrowser(ctx)
	if errors.Is(err, errNoBrowser) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	if err := b.open(ctx, "data:text/html,<title>hello</title>"); err != nil {
		t.Fatal(err)
	}
	if err := b.waitFor(ctx, "document.title === 'hello'"); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := b.eval(ctx, "Promise.resolve(6 * 7)", &n); err != nil || n != 42 {
		t.Errorf("eval: %d, %v", n, err)
	}
	if err := b.eval(ctx, "nonsense()", &n); err == nil {
		t.Error("an exception in the page is no error")
	}
}
