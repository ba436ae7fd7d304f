package gateway

import (
	"net/http"
	"strings"
	"time"
)

// A client counts as local, that is as the owner of the machine, if it shows
// the secret of the node's data folder (keyring.LocalSecret). Neither the
// address of a connection nor the Host header proves anything, since TCP
// forwarders and proxies connect from loopback and pass on what they are sent.

// provesLocal reports whether a request to a page for the owner carries the secret,
// or a ticket of it: as a bearer token, or as the password that a browser asks for.
func (g *Gateway) provesLocal(r *http.Request) bool {
	shown, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		_, shown, ok = r.BasicAuth()
	}
	return ok && g.local.Check(shown, time.Now())
}

// askLocal answers a request that lacks the secret.
func (g *Gateway) askLocal(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", `Basic realm="Password: what the file keys/local.secret in the data folder says", charset="UTF-8"`)
	g.metrics.refused("local")
	http.Error(w, "This page is for the owner of this machine: use \"voxelpopuli status\", or give what the file keys/local.secret in the data folder says as the password.", http.StatusUnauthorized)
}
