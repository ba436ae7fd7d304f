package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	frames "github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel/datachanneltest"
)

// channels lets people into a gateway over data channels.
func channels(t *testing.T, cfg gateway.Config) (*datachannel.Listener, netip.AddrPort) {
	t.Helper()
	g, err := gateway.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := datachannel.NewCertificate()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := datachannel.Listen(conn, cert, datachannel.Limits{})
	go g.ServeChannels(l)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := g.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		l.Close()
		conn.Close()
	})
	return l, conn.LocalAddr().(*net.UDPAddr).AddrPort()
}

// browser is a page that has dialled a node of a link.
type browser struct {
	t *testing.T
	*datachanneltest.Client
	who client.Identity
}

func openPage(t *testing.T, l *datachannel.Listener, at netip.AddrPort, name string) *browser {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := datachanneltest.Dial(ctx, conn, at, l.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &browser{t, c, identity(t, name)}
}

// asks asks for a session and returns what is said of the world, or why not.
func (b *browser) asks(code string) (world string, refused wire.Code) {
	b.t.Helper()
	ask, err := json.Marshal(map[string]string{"code": code, "local": string(secret)})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.SendText(string(ask)); err != nil {
		b.t.Fatal(err)
	}
	said, text, err := b.Recv(datachannel.Reliable)
	if err != nil || !text {
		b.t.Fatalf("%q, %v", said, err)
	}
	var answer struct {
		Error wire.Code
		World struct{ ID string }
	}
	if err := json.Unmarshal(said, &answer); err != nil {
		b.t.Fatal(err)
	}
	return answer.World.ID, answer.Error
}

func (b *browser) says(ch datachannel.Channel, m wire.Message) {
	b.t.Helper()
	if err := b.Send(ch, wire.Encode(m)); err != nil {
		b.t.Fatal(err)
	}
}

// hears returns the next message of the reliable channel.
func (b *browser) hears() wire.Message {
	b.t.Helper()
	said, _, err := b.Recv(datachannel.Reliable)
	if err != nil {
		b.t.Fatal(err)
	}
	m, err := wire.DecodeNode(said)
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

// enters does the handshake; audience is what the proof names.
func (b *browser) enters(audience string) wire.Message {
	b.t.Helper()
	b.says(datachannel.Reliable, &wire.Hello{Version: wire.Version, Name: b.who.Name, Key: [32]byte(b.who.Public()), Client: "test"})
	c, ok := b.hears().(*wire.Challenge)
	if !ok {
		b.t.Fatal("no challenge")
	}
	b.says(datachannel.Reliable, b.who.Prove(c, audience))
	for {
		if m := b.hears(); m.Type() != wire.TypeNotice {
			return m
		}
	}
}

func testWorld(t *testing.T) gateway.Config {
	w := clienttest.Start(t, world.Creative)
	return gateway.Config{Game: gateway.Node{Node: w.Node}, Code: "a code", Log: slog.New(slog.DiscardHandler), Local: secret}
}

// TestDataChannels: a player comes in over data channels, is not local whatever it
// shows, and gets frames on the unreliable one.
func TestDataChannels(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	l, at := channels(t, testWorld(t))
	b := openPage(t, l, at, "Ann")
	if id, why := b.asks("a code"); len(id) != 40 || why != "" {
		t.Fatalf("%q, %q", id, why)
	}
	welcome, ok := b.enters(l.Fingerprint().Audience()).(*wire.Welcome)
	if !ok || welcome.Operator {
		t.Fatalf("%+v: operator of a new world is who is local", welcome)
	}
	b.says(datachannel.Reliable, &wire.View{Distance: 2})
	got := make(chan got, 1)
	for _, ch := range []datachannel.Channel{datachannel.Reliable, datachannel.Unreliable} {
		go b.frames(ch, got)
	}
	home := welcome.Pos.Block().Region()
	seen, settled, missed := map[uint16]bool{}, 0, false
	for end := time.After(time.Minute); ; {
		select {
		case f := <-got:
			if f.Region != home {
				continue
			}
			if !f.Numbered || seen[f.Number] && !missed {
				t.Fatalf("frame %d (%t) came twice before one was missed, or has no number", f.Number, f.Numbered)
			}
			seen[f.Number] = true
			switch keys := keyframes(&f.Frame); {
			case missed && keys > 0:
				return
			case keys > 0 || f.over != datachannel.Unreliable:
				settled = 0 // the land is still coming
			default:
				settled++
			}
			if settled == 20 && !missed {
				missed = true
				b.says(datachannel.Reliable, &wire.Missed{Region: home})
			}
		case <-end:
			t.Fatalf("no keyframes came after a frame was missed (%t, %d)", missed, settled)
		}
	}
}

type got struct {
	frames.Frame
	over datachannel.Channel
}

// frames passes on the frames of a channel until the connection ends.
func (b *browser) frames(over datachannel.Channel, to chan<- got) {
	for {
		said, _, err := b.Recv(over)
		if err != nil {
			return
		}
		g := got{over: over}
		if wire.TypeOf(said) == wire.TypeFrame && g.Decode(said[1:]) == nil {
			select {
			case to <- g:
			case <-b.t.Context().Done():
				return
			}
		}
	}
}

func keyframes(f *frames.Frame) (n int) {
	for i := range f.Cells {
		if f.Cells[i].Keyframe {
			n++
		}
	}
	return n
}

// TestRestart: a page that has restarted ICE says its side again and plays on; any other
// text ends the connection.
func TestRestart(t *testing.T) {
	l, at := channels(t, testWorld(t))
	b := openPage(t, l, at, "Ann")
	b.asks("a code")
	b.enters(l.Fingerprint().Audience())
	for _, c := range []struct {
		says string
		ok   bool
	}{{`{"ice":{"ufrag":"abcd","pwd":"0123456789abcdef01234567"}}`, true}, {`{"code":"a code"}`, false}} {
		if err := b.SendText(c.says); err != nil {
			t.Fatal(err)
		}
		b.says(datachannel.Reliable, &wire.Ping{Time: 7})
		if ok := b.hearsPong(); ok != c.ok {
			t.Errorf("after %s the page plays on: %t", c.says, ok)
		}
	}
}

// hearsPong reports whether a pong comes before the end.
func (b *browser) hearsPong() bool {
	for {
		said, _, err := b.Recv(datachannel.Reliable)
		if err != nil || wire.TypeOf(said) == wire.TypeRefused {
			return false
		}
		if wire.TypeOf(said) == wire.TypePong {
			return true
		}
	}
}

// TestHostileGuessesOverChannels: codes are guessed over data channels no faster than over
// HTTP: whoever has tried a few waits, in every connection of the address.
func TestHostileGuessesOverChannels(t *testing.T) {
	l, at := channels(t, testWorld(t))
	const allowed = 5 // docs/host.md
	for i := range allowed {
		if _, why := openPage(t, l, at, "Eve").asks(fmt.Sprint("guess ", i)); why != wire.BadCode {
			t.Fatalf("guess %d: %q", i, why)
		}
	}
	for range 3 {
		if _, why := openPage(t, l, at, "Eve").asks("one more"); why != wire.WrongCodes {
			t.Errorf("one guess too many: %q", why)
		}
	}
}

// TestHostilePages: who has no code, or proves a player to another node, stays outside.
func TestHostilePages(t *testing.T) {
	l, at := channels(t, testWorld(t))
	if _, why := openPage(t, l, at, "Eve").asks("a guess"); why != wire.BadCode {
		t.Errorf("a wrong code: %q", why)
	}
	if _, why := openPage(t, l, at, "Eve").asks(""); why != wire.BadCode {
		t.Errorf("no code, but the secret of the data folder: %q", why)
	}
	other, err := datachannel.NewCertificate()
	if err != nil {
		t.Fatal(err)
	}
	for _, audience := range []string{at.String(), other.Fingerprint().Audience(), ""} {
		b := openPage(t, l, at, "Eve")
		b.asks("a code")
		if why, ok := b.enters(audience).(*wire.Refused); !ok || why.Code != wire.BadProof {
			t.Errorf("a proof for %q: %+v", audience, why)
		}
	}
	b := openPage(t, l, at, "Eve")
	b.says(datachannel.Reliable, &wire.Hello{Version: wire.Version, Name: "Eve"}) // without asking for a session
	if said, _, err := b.Recv(datachannel.Reliable); err == nil {
		t.Errorf("an answer without a session: % x", said)
	}
	b = openPage(t, l, at, "Eve")
	b.asks("a code")
	b.enters(l.Fingerprint().Audience())
	if err := b.Send(datachannel.Reliable, make([]byte, wire.MaxMessage+1)); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Fatal(err)
	}
	for {
		said, _, err := b.Recv(datachannel.Reliable)
		if err != nil {
			break // cut off
		}
		if wire.TypeOf(said) == wire.TypeRefused {
			break
		}
	}
}
