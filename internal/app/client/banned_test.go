package client_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHostileBannedAddress: who is banned by address is sent out at once, and does not
// get in again with a new key, nor from another address of the same /64. Players from
// elsewhere, and operators, are let in.
func TestHostileBannedAddress(t *testing.T) {
	w := clienttest.Start(t, world.Creative)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	enter := func(who id.ID, name, from string) (*client.Session, error) {
		login := client.Login{Player: who, Name: name, Local: from == ""}
		if from != "" {
			login.Address = netip.MustParseAddr(from)
		}
		s, err := w.Node.Enter(ctx, login)
		if err == nil {
			t.Cleanup(s.Close)
		}
		return s, err
	}
	stranger := func(name, from string) (*client.Session, error) { return enter(id.Of([]byte(name)), name, from) }
	ann, err := client.NewIdentity("ann")
	if err != nil {
		t.Fatal(err)
	}
	operator, err := enter(id.Of(ann.Public()), "Ann", "")
	if err != nil {
		t.Fatal(err)
	}
	eve, err := stranger("eve", "2001:db8::1")
	if err != nil {
		t.Fatal(err)
	}
	operator.Handle(wire.Encode(&wire.Say{Text: "/banip 2001:db8::77"}))
	sign(t, ctx, operator, ann.Key)

	banned := func(err error) bool {
		var why *wire.Refused
		return errors.As(err, &why) && why.Code == wire.Banned
	}
	for err = nil; err == nil; {
		err = eve.Next(ctx, &sink{})
	}
	if !banned(err) {
		t.Errorf("who was here from a banned address was not sent out: %v", err)
	}
	if _, err := stranger("new key", "2001:db8::ffff"); !banned(err) {
		t.Errorf("a new key from another address of the /64: %v", err)
	}
	if _, err := stranger("cy", "2001:db8:0:1::1"); err != nil {
		t.Errorf("a player from elsewhere is kept out: %v", err)
	}
	if _, err := enter(id.Of(ann.Public()), "Ann", "2001:db8::2"); err != nil {
		t.Errorf("an operator is kept out: %v", err)
	}
}

// sink keeps what is said to a client.
type sink struct{ said [][]byte }

// Add implements client.Sink.
func (s *sink) Add(head, body []byte) {
	s.said = append(s.said, append(append([]byte{}, head...), body...))
}

// sign answers the next decision that a session proposes.
func sign(t *testing.T, ctx context.Context, s *client.Session, key ed25519.PrivateKey) {
	t.Helper()
	for {
		var got sink
		if err := s.Next(ctx, &got); err != nil {
			t.Fatal(err)
		}
		for _, b := range got.said {
			var m wire.Sign
			if wire.TypeOf(b) != wire.TypeSign {
				continue
			}
			if err := wire.DecodeInto(b, &m); err != nil {
				t.Fatal(err)
			}
			x, err := decision.Decode(m.Statement)
			if err != nil {
				t.Fatal(err)
			}
			x.Sign(key)
			s.Handle(wire.Encode(&wire.Signed{Statement: x.Append(nil)}))
			return
		}
	}
}
