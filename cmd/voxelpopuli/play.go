package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
)

// hostFlags are the flags of play and node.
func hostFlags(f *pflag.FlagSet, r *host.Runner) {
	f.StringVar(&r.World, "world", host.DefaultWorld, "which world; it is made if there is none")
	f.StringVar(&r.Seed, "seed", "", "what a new world grows from: a number or a text (default random)")
	f.StringVar(&r.Mode, "mode", "", "how newcomers of a new world play: survival or creative (default survival)")
	f.StringVar(&r.Hosting, "hosting", "", "which nodes may host a new world: invited or open (default invited)")
	f.BoolVar(&r.Share, "share", false, "let others in, as players and as hosts: prints an invitation for them")
	f.StringVar(&r.Listen, "listen", host.DefaultListen, "address for players: HOST or HOST:PORT; any but this machine's own implies --share")
	f.IntVar(&r.Port, "port", host.DefaultPort, "port, unless --listen has one; -1: any that is free")
	f.StringSliceVar(&r.Join, "join", nil, "invitation to a world to host and play in; or addresses of its nodes, HOST or HOST:PORT, or a bookmark")
	f.StringVar(&r.Nodes, "nodes", "", "UDP address for other nodes, HOST:PORT (default the players' port, on all addresses with --share or --join, else this machine only)")
	f.BoolVar(&r.Alone, "alone", false, "no other node may host this world")
	f.BoolVar(&r.NoPortMapping, "no-port-mapping", false, "do not ask the home's router to open ports for other nodes and players")
	f.BoolVar(&r.NoRelay, "no-relay", false, "carry nothing between two nodes that cannot reach each other")
	f.StringVar(&r.Certificate, "certificate", "", "file with this node's certificate, if the world has an authority")
	f.StringVar(&r.Revocations, "revocations", "", "file with the authority's revocations; it is read again when it changes, and passed on to all nodes")
	f.StringVar(&r.Authority, "authority", "", "the world's authority, if it is on this machine: its key revokes nodes that are guilty by a proof, without asking")
	f.StringVar(&r.JoinCode, "join-code", "", "what players must know to come in at this node, instead of an invitation")
	f.StringVar(&r.OwnerKey, "owner", "", "a player who counts as this machine's owner, wherever from: the public key that the page shows under \"Your key\"")
	f.BoolVar(&r.Whitelist, "whitelist", false, "let in only players on the whitelist, at every node; works on the founder's node")
	f.IntVar(&r.MaxPlayers, "max-players", 0, "how many may be here at a time (default as many as there is room for)")
	f.IntVar(&r.Regions, "max-regions", 0, fmt.Sprintf("how many regions of the world to keep at most (default %d)", part.DefaultMaxHosted))
	f.IntVar(&r.Capacity.Players, "max-hosted-players", 0, "take on no more regions while so many players are in those that this node leads; 0: no limit")
	f.IntVar(&r.Memory, "max-memory", 0, "take on no more regions while this program uses so many MB of memory; 0: no limit")
	f.IntVar(&r.Upload, "max-upload", 0, "take on no more regions while other nodes are sent so many KB a second; 0: no limit")
	f.IntVar(&r.CopiesDisk, "copies-disk", part.DefaultCopiesDisk>>20, "how many MB copies of regions that others host may take here, and their earlier states as many again; -1: keep none")
	f.IntVar(&r.CopiesUpload, "copies-upload", part.DefaultCopiesUpload>>10, "how many KB a second this node sends to keep copies of its regions elsewhere; -1: none")
	f.StringSliceVar(&r.Hosts, "host", nil, "name that players reach this machine by, for example example.org")
	f.StringSliceVar(&r.TLS.Names, "tls-name", nil, "domain name that leads to this machine: serve the page by HTTPS under it, with a certificate of Let's Encrypt, whose terms you accept by this; implies --share")
	f.StringVar(&r.TLS.Cert, "tls-cert", "", "file with a certificate of your own for HTTPS (PEM, with intermediate ones); read again when it changes")
	f.StringVar(&r.TLS.Key, "tls-key", "", "file with the key of --tls-cert (PEM)")
	f.StringVar(&r.TLS.Listen, "tls-listen", "", "address for HTTPS, HOST:PORT (default port 443, all addresses)")
	f.StringVar(&r.TLS.Plain, "tls-plain", "", "address for plain HTTP, which redirects to HTTPS, or none (default port 80, all addresses)")
	f.StringVar(&r.TLS.Directory, "tls-acme", "", "URL of another ACME authority's directory (default Let's Encrypt)")
	f.StringVar(&r.TLS.Mail, "tls-mail", "", "address that the authority may write to")
	f.StringVar(&r.Page, "page", "", "URL of the page that \"voxelpopuli page\" has written, for links that reach this node without a TCP port")
	f.StringSliceVar(&r.TrustedProxies, "trusted-proxy", nil, "address or CIDR block of a proxy that tells in X-Forwarded-For whom it connects for")
	f.BoolVar(&r.OpenStatus, "open-status", false, "show /status and /metrics to others, not only to this machine's owner")
	f.StringVar(&r.Map, "map", "", "what the page /map shows to everybody who reaches it: off, land, players (default land, if nobody needs a code or an invitation)")
	f.DurationVar(&r.BackupEvery, "backup-every", 24*time.Hour, "write a backup so often; 0: never")
	f.IntVar(&r.BackupKeep, "backup-keep", 7, "how many backups to keep; 0: all")
	f.StringSliceVar(&r.NTP, "ntp", nil, "NTP servers to set the clock by; none: the system's clock (default the NTP pool, if others may join)")
	f.BoolVar(&r.JSON, "json", false, "print one line of JSON instead of text when the world is open")
}

func newPlay(c *common) *cobra.Command {
	r := &host.Runner{Browser: true}
	var noBrowser bool
	cmd := &cobra.Command{
		Use:   "play [NAME]",
		Short: "Opens a world and a browser to play in it",
		Long: `Opens a world and a browser to play in it. NAME is a bookmark of a world elsewhere,
or a world here, as --world; without it the world is "home", which is made the
first time. Ctrl-C saves everything and ends.`,
		Example: `  voxelpopuli play
  voxelpopuli play friends                            # the world of a bookmark
  voxelpopuli play --world castle --seed 42 --mode creative
  voxelpopuli play --share                            # prints an invitation for friends
  voxelpopuli play --join vp-AbC...                   # host a share of a friend's world, and play in it`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Named = named(args)
			r.Data, r.Browser, r.Out = c.data, !noBrowser, cmd.OutOrStdout()
			r.Searching = searchingOf(cmd)
			return r.Run(cmd.Context())
		},
	}
	hostFlags(cmd.Flags(), r)
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "do not open a browser")
	return cmd
}

func newNode(c *common) *cobra.Command {
	r := &host.Runner{}
	cmd := &cobra.Command{
		Use:   "node [NAME]",
		Short: "Keeps a world open, without a browser",
		Long:  `Keeps a world open for others: like play, without a browser. Meant for a machine that stays on.`,
		Example: `  voxelpopuli node --share
  VOXELPOPULI_JOIN_CODE=sesame voxelpopuli node --share --json
  voxelpopuli node --join vp-AbC...                   # lend a friend's world this machine`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Named = named(args)
			r.Data, r.Out = c.data, cmd.OutOrStdout()
			r.Searching = searchingOf(cmd)
			return r.Run(cmd.Context())
		},
	}
	hostFlags(cmd.Flags(), r)
	return cmd
}

// named is the world that is given without a flag.
func named(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
