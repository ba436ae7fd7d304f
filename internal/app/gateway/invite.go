package gateway

import (
	"encoding/json"
	"net/http"
	"time"
)

// Invitation is one that was made at this machine, for its owner. It is a secret.
type Invitation struct {
	ID      string    `json:"id"`
	Permits string    `json:"permits"`
	Note    string    `json:"note,omitempty"`
	Created time.Time `json:"created"`
	State   string    `json:"state"`
	Links   []Link    `json:"links"` // none: it cannot be used any more
}

// Link is what a friend opens in a browser.
type Link struct {
	URL string `json:"url"`
	QR  *QR    `json:"qr,omitempty"`
}

// QR is a QR code as the path of an SVG of so many units to each side.
type QR struct {
	Size int    `json:"size"`
	Path string `json:"path"`
}

// Invites is what the owner sees of the invitations to the world.
type Invites struct {
	Reach string       `json:"reach"` // who can reach this world, and what would help
	May   bool         `json:"may"`   // invitations are made and revoked here
	List  []Invitation `json:"list"`
}

// Terms are what a new invitation permits.
type Terms struct {
	May  string `json:"may"`  // visit, build or host, each with those before
	Days int    `json:"days"` // 0: until it is revoked
	Uses uint16 `json:"uses"` // 0: any number of players
	Note string `json:"note"`
}

// Inviter manages invitations.
type Inviter interface {
	Invites() (*Invites, error)
	CreateInvitation(Terms) error
	RevokeInvitation(id string) error
}

// maxInviteAsk bounds a request to make or revoke one.
const maxInviteAsk = 1 << 10

// serveInvites lists, makes and revokes invitations, for the owner alone: what is
// shown lets anybody in, so Config.Open has no say.
func (g *Gateway) serveInvites(w http.ResponseWriter, r *http.Request) {
	switch {
	case g.cfg.Inviter == nil:
		http.NotFound(w, r)
		return
	case !sameOrigin(r) || !g.provesLocal(r):
		g.askLocal(w)
		return
	}
	err := g.changeInvites(r)
	var all *Invites
	if err == nil {
		all, err = g.cfg.Inviter.Invites()
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"text": err.Error()})
		return
	}
	_ = json.NewEncoder(w).Encode(all)
}

// changeInvites does what a POST asks for.
func (g *Gateway) changeInvites(r *http.Request) error {
	if r.Method != http.MethodPost {
		return nil
	}
	var ask struct {
		Create *Terms `json:"create"`
		Revoke string `json:"revoke"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxInviteAsk)).Decode(&ask); err != nil {
		return err
	}
	if ask.Create != nil {
		return g.cfg.Inviter.CreateInvitation(*ask.Create)
	}
	return g.cfg.Inviter.RevokeInvitation(ask.Revoke)
}
