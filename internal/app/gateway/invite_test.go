package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
)

// inviter hands out one link.
type inviter struct{ made, revoked int }

func (i *inviter) Invites() (*gateway.Invites, error) {
	return &gateway.Invites{Reach: "anyone", List: []gateway.Invitation{{Links: []gateway.Link{{URL: "the link"}}}}}, nil
}
func (i *inviter) CreateInvitation(gateway.Terms) error { i.made++; return nil }
func (i *inviter) RevokeInvitation(string) error        { i.revoked++; return nil }

// TestHostileInvites: only the owner's own page sees, makes and revokes invitations,
// even where the status is open to everybody.
func TestHostileInvites(t *testing.T) {
	i := &inviter{}
	b := newBed(t, gateway.Config{Inviter: i, Open: true, Code: "a code"})
	ask := func(method, secret, origin, body string) (int, string) {
		req, err := http.NewRequest(method, "http://"+b.addr+"/api/invites", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if secret != "" {
			req.Header.Set("Authorization", "Bearer "+secret)
		}
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		said, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(said)
	}
	create, revoke := `{"create":{"note":"Ann"}}`, `{"revoke":"ab"}`
	for _, who := range [][2]string{{"", ""}, {"a guess", ""}, {"a code", ""}, {string(secret), "https://evil.example"}} {
		for _, body := range []string{"", create, revoke} {
			method := http.MethodPost
			if body == "" {
				method = http.MethodGet
			}
			if status, said := ask(method, who[0], who[1], body); status < 400 || strings.Contains(said, "the link") {
				t.Errorf("%q at %q: %d %s", who[0], who[1], status, said)
			}
		}
	}
	if i.made+i.revoked > 0 {
		t.Fatalf("%+v", i)
	}
	for _, body := range []string{create, revoke} {
		if status, said := ask(http.MethodPost, string(secret), "http://"+b.addr, body); status != 200 || !strings.Contains(said, "the link") {
			t.Errorf("the owner: %d %s", status, said)
		}
	}
	if i.made != 1 || i.revoked != 1 {
		t.Errorf("%+v", i)
	}
	if status, _ := ask(http.MethodPost, string(secret), "", `{"create":{"note":"`+strings.Repeat("a", 2000)+`"}}`); status != 400 || i.made != 1 {
		t.Errorf("a large request: %d", status)
	}
}
