package records

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"reflect"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

func keyOf(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func idOf(k ed25519.PrivateKey) id.ID { return id.Of(k.Public().(ed25519.PublicKey)) }

func peerOf(k ed25519.PrivateKey) machine.Peer {
	return machine.Peer{ID: idOf(k), Addr: machine.Addr{10: 0xff, 11: 0xff, 12: 10, 17: 1}}
}

var (
	ada, bob = keyOf(1), keyOf(2)
	region   = id.Of([]byte("region"))
)

// A record is believed only if the one who may
// say it has signed it, every byte of it.
func TestCheck(t *testing.T) {
	hosts := Hosts{3, []machine.Peer{peerOf(ada), peerOf(keyOf(3))}}
	raw := func(kind kademlia.Kind, key id.ID, payload ...byte) *kademlia.Record {
		return &kademlia.Record{Kind: kind, Key: key, Payload: payload}
	}
	for _, c := range []struct {
		name string
		rec  *kademlia.Record
		by   ed25519.PrivateKey
		want error
	}{
		{"hosts by a member", hosts.Record(region, 1), ada, nil},
		{"hosts by a stranger", hosts.Record(region, 1), bob, ErrForged},
		{"nothing", raw(kademlia.Chunk, region), ada, ErrMalformed},
		{"hosts among players", raw(kademlia.Player, region, hosts.Append(nil)...), ada, ErrMalformed},
		{"layout", raw(kademlia.Chunk, region, 99), ada, ErrMalformed},
	} {
		Sign(c.rec, c.by)
		if _, err := Verify(c.rec).(machine.Work).Run(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for what, change := range map[string]func(*kademlia.Record){
		"version": func(r *kademlia.Record) { r.Version++ },
		"expiry":  func(r *kademlia.Record) { r.Until++ },
		"key":     func(r *kademlia.Record) { r.Key[0]++ },
		"payload": func(r *kademlia.Record) { r.Payload[1]++ },
		"signer":  func(r *kademlia.Record) { copy(r.Signer[:], keyOf(3).Public().(ed25519.PublicKey)) },
		"sig":     func(r *kademlia.Record) { r.Sig[0]++ },
	} {
		r := hosts.Record(region, 1)
		Sign(r, ada)
		change(r)
		if err := Check(r); !errors.Is(err, ErrForged) {
			t.Errorf("with another %s: %v", what, err)
		}
	}
}

func TestPayloads(t *testing.T) {
	hosts := Hosts{1 << 60, []machine.Peer{peerOf(ada), peerOf(bob)}}
	if got, err := DecodeHosts(hosts.Append(nil)); err != nil || !reflect.DeepEqual(got, hosts) {
		t.Errorf("%+v, %v", got, err)
	}
	many := Hosts{Members: make([]machine.Peer, MaxHosts+1)}
	for i := range many.Members {
		many.Members[i] = peerOf(keyOf(byte(i)))
	}
	for what, b := range map[string][]byte{
		"no members":     Hosts{}.Append(nil),
		"too many":       many.Append(nil),
		"twice the same": Hosts{1, []machine.Peer{peerOf(ada), peerOf(ada)}}.Append(nil),
		"no address":     Hosts{1, []machine.Peer{{ID: idOf(ada)}}}.Append(nil),
		"nobody":         Hosts{1, []machine.Peer{{Addr: machine.Addr{1}}}}.Append(nil),
		"too long":       append(hosts.Append(nil), 0),
		"empty":          {},
	} {
		if _, err := DecodeHosts(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("hosts, %s: %v", what, err)
		}
	}
	if len(many.Append(nil)) > kademlia.MaxRecord {
		t.Error("the largest group does not fit into a record")
	}
}

func TestKeepers(t *testing.T) {
	hosts := Hosts{1, []machine.Peer{peerOf(ada), peerOf(bob)}}
	if who, bound := Keepers(hosts.Record(region, 1)); len(who) != 2 || bound {
		t.Errorf("hosts: %v, %v", who, bound)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(uint8(kademlia.Chunk), Hosts{3, []machine.Peer{peerOf(ada)}}.Append(nil))
	f.Add(uint8(kademlia.Player), Hosts{3, []machine.Peer{peerOf(ada)}}.Append(nil))
	f.Fuzz(func(t *testing.T, kind uint8, payload []byte) {
		r := &kademlia.Record{Kind: kademlia.Kind(kind), Payload: payload}
		if Check(r) == nil {
			t.Error("a record without a signature is believed")
		}
		Keepers(r)
		if h, err := DecodeHosts(payload); err == nil && !bytes.Equal(h.Append(nil), payload) {
			t.Error("two payloads say the same")
		}
	})
}
