package host_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// oldClient is a client from before players signed what they do.
type oldClient struct {
	t  *testing.T
	ws *websocket.Conn
}

func (u *oldClient) say(m wire.Message) {
	// The node may have ended the connection already.
	_ = u.ws.Write(u.t.Context(), websocket.MessageBinary, wire.Encode(m))
}

// reads returns the next message that is an m, and whether Refused came instead.
func (u *oldClient) reads(m wire.Message) (refused *wire.Refused) {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), patience)
	defer cancel()
	for {
		_, b, err := u.ws.Read(ctx)
		if err != nil {
			u.t.Fatal(err)
		}
		var why wire.Refused
		if wire.DecodeInto(b, &why) == nil {
			return &why
		}
		if wire.DecodeInto(b, m) == nil {
			return nil
		}
	}
}

// enterUnsigned enters a world and proves the player's key, which old clients did too.
func enterUnsigned(t *testing.T, h *host.Host, who client.Identity) *oldClient {
	t.Helper()
	base := strings.TrimSuffix(h.URL(), "/")
	res, err := http.Post(base+"/api/session", "application/json", strings.NewReader(`{"local":"`+string(h.Local())+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var ticket struct{ Token string }
	if err := json.NewDecoder(res.Body).Decode(&ticket); err != nil {
		t.Fatal(err)
	}
	ws, _, err := websocket.Dial(t.Context(), base+"/ws?token="+url.QueryEscape(ticket.Token), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.CloseNow() })
	ws.SetReadLimit(-1)
	u := &oldClient{t, ws}
	u.say(&wire.Hello{Version: wire.Version, Name: who.Name, Key: [32]byte(who.Public()), Client: "test"})
	var challenge wire.Challenge
	if why := u.reads(&challenge); why != nil {
		t.Fatal(why)
	}
	u.say(who.Prove(&challenge, strings.TrimPrefix(base, "http://")))
	if why := u.reads(&wire.Welcome{}); why != nil {
		t.Fatal(why)
	}
	u.say(&wire.View{Distance: 2})
	return u
}

// TestUnsignedClient: where other nodes can host the world, a client that does not sign
// is told so and taken out: with its first act at once, and if it only walks after some
// seconds. In a world of one node it plays.
func TestUnsignedClient(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	t.Parallel()
	place := &wire.Act{Seq: 1, Kind: wire.Place, Y: 64, Face: 1}
	alone := enterUnsigned(t, start(t, founder(t)), identity(t, "Old"))
	alone.say(place)
	if why := alone.reads(&wire.ActResult{}); why != nil {
		t.Errorf("a node alone refuses it: %v", why)
	}

	h := start(t, shared(t))
	acts := enterUnsigned(t, h, identity(t, "Acts"))
	acts.say(place)
	if why := acts.reads(&wire.ActResult{}); why == nil || why.Code != wire.Unsigned || !strings.Contains(why.Text, "signs") {
		t.Errorf("an act without a signature: %v", why)
	}

	walks := enterUnsigned(t, h, identity(t, "Walks"))
	go func() {
		ticks := time.NewTicker(region.TickLength)
		defer ticks.Stop()
		for seq := uint32(1); t.Context().Err() == nil; seq++ {
			walks.say(&wire.Input{Seq: seq, Steps: []wire.Step{{Buttons: 1}}})
			<-ticks.C
		}
	}()
	var told wire.Notice
	for told.Code != wire.Unsigned {
		if why := walks.reads(&told); why != nil {
			t.Fatalf("taken out before it was warned: %v", why)
		}
	}
	if why := walks.reads(&wire.Welcome{}); why.Code != wire.Unsigned {
		t.Errorf("steps without a signature: %v", why)
	}
}
