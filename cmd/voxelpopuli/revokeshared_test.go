package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// TestHostileSharedInvitation: while the node runs, its owner revokes the invitation
// that --share hands out. The command says what that means; then the node passes it on
// to nobody, and whoever has it does not get in any more.
func TestHostileSharedInvitation(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	p := program{t, t.TempDir()}
	p.ok("world", "new", "home", "--difficulty", "1")
	h, err := host.Start(host.Config{Data: p.data, World: "home", Port: -1, Nodes: "127.0.0.1:0", Share: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	shared := h.Invitation()
	enter := func(name string) (wire.Code, error) {
		who, err := client.NewIdentity(name)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		conn, _, err := client.Dial(ctx, h.Addr().String(), who, shared.Text())
		var why *wire.Refused
		if errors.As(err, &why) {
			return why.Code, nil
		}
		if err == nil {
			err = conn.Close()
		}
		return "", err
	}
	if why, err := enter("Ann"); why != "" || err != nil {
		t.Fatalf("before: %q, %v", why, err)
	}
	if out := p.ok("invite", "revoke", "home", shared.ID().Short()); !strings.Contains(out, "--share") || !strings.Contains(out, "a node that runs shares none") {
		t.Errorf("it says %q", out)
	}
	for end := time.Now().Add(time.Minute); h.Invitation() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the node passes the invitation on")
		}
	}
	if why, err := enter("Eve"); why != wire.BadCode || err != nil {
		t.Errorf("then Eve: %q, %v", why, err)
	}
	if out := p.ok("invite", "list", "home"); !strings.Contains(out, "revoked") || strings.Contains(out, "valid") {
		t.Errorf("listed: %s", out)
	}
}
