package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHostileNewKeysOfAnAddress: somebody who makes a new key for each try, from all
// addresses of an IPv6 /64, gets in only so often; players whom the world knows, and
// those from elsewhere, are not kept out by that.
func TestHostileNewKeysOfAnAddress(t *testing.T) {
	w := clienttest.Start(t, world.Creative)
	enter := func(n int, from string) error {
		name := "player " + string("abcdefghjkmnpqrstuvwxyz"[n%23]) + string("abcdefghjkmnpqrstuvwxyz"[n/23])
		s, err := w.Node.Enter(context.Background(), client.Login{
			Player: id.Of([]byte(name)), Name: name, Address: netip.MustParseAddr(from),
		})
		if err == nil {
			s.Close()
		}
		return err
	}
	refused := 0
	for n := range 30 {
		err := enter(n, fmt.Sprintf("2001:db8::%x", n+1))
		var why *wire.Refused
		switch {
		case err == nil:
		case errors.As(err, &why) && why.Code == wire.Full && why.Retry > 0:
			refused++
		default:
			t.Fatal(err)
		}
	}
	if refused < 9 || refused > 10 {
		t.Errorf("%d of 30 new keys were refused", refused)
	}
	for range 3 {
		if err := enter(0, "2001:db8::ffff"); err != nil {
			t.Errorf("a player whom the world knows is kept out: %v", err)
		}
	}
	if err := enter(40, "2001:db8:0:1::1"); err != nil {
		t.Errorf("a new player from elsewhere is kept out: %v", err)
	}
	for range 30 { // who is known takes nothing of what an address may have
		if err := enter(0, "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := enter(41, "192.0.2.1"); err != nil {
		t.Errorf("returning players have used up what new ones may have: %v", err)
	}
}
