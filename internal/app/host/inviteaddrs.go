package host

import (
	"context"
	"net/netip"
)

// InvitationAddrs reads addresses for an invitation, HOST or HOST:PORT. An invitation
// contains IP addresses, so names are resolved now.
func InvitationAddrs(ctx context.Context, texts []string) (out []netip.AddrPort, err error) {
	for _, text := range texts {
		at, err := resolve(ctx, text)
		if err != nil {
			return nil, err
		}
		out = append(out, at)
	}
	return out, nil
}
