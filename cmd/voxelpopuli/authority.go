package main

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/store/authority"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

func newAuthority(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "authority",
		Short: "Admits nodes to a verified world",
		Long: `Admits nodes to a verified world: its authority gives each node a place that the
node cannot choose, in a certificate, and takes certificates back. It works on
files and needs no network. The key stays in the folder authorities of the data
folder. One request gets one certificate; what you ask for it is what an
attacker pays for each of his.`,
		Example: `  voxelpopuli authority init castle
  voxelpopuli world new castle --authority castle
  voxelpopuli authority issue castle --key 8a88…6f5c --out ada.pem
  voxelpopuli authority revoke castle 1 --out revoked.pem`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(authorityInit(c), authorityIssue(c), authorityRevoke(c), authorityList(c))
	return cmd
}

func authorityFolder(c *common, name string) (string, error) {
	if err := worldfs.CheckName(name); err != nil {
		return "", err
	}
	return authority.Folder(c.data, name), nil
}

// onAuthority opens an authority for a command.
func onAuthority(c *common, name string, do func(*authority.Authority) error) error {
	dir, err := authorityFolder(c, name)
	if err != nil {
		return err
	}
	a, err := authority.Open(dir)
	if err != nil {
		return err
	}
	defer a.Close()
	return do(a)
}

func authorityInit(c *common) *cobra.Command {
	zones, asJSON := 9, false
	cmd := &cobra.Command{
		Use:     "init NAME",
		Short:   "Makes an authority's key, and what its world begins with",
		Example: "  voxelpopuli authority init castle --zones 16",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := authorityFolder(c, args[0])
			if err != nil {
				return err
			}
			a, err := authority.Init(dir, zones, time.Now())
			if err != nil {
				return err
			}
			defer a.Close()
			if asJSON {
				return encodeJSON(cmd.OutOrStdout(), authorityRow(args[0], a))
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Made the authority of the world %s, in %s.\nMake the world: voxelpopuli world new NAME --authority %q\n", a.World(), dir, args[0])
			return err
		},
	}
	cmd.Flags().IntVar(&zones, "zones", zones, "zones of the overlay, each with a replica of the world: 4, 9, 16, 25, 36, 49 or 64")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func authorityIssue(c *common) *cobra.Command {
	var key, note, out string
	days := 365
	cmd := &cobra.Command{
		Use:   "issue NAME --key PUBLIC-KEY",
		Short: "Gives a node a place and a certificate",
		Long: `Gives a node a place and a certificate. The node's operator finds its public key
with "voxelpopuli identity show". A node that asks again keeps its place.`,
		Example: "  voxelpopuli authority issue castle --key 8a88…6f5c --note Ada --days 90 --out ada.pem",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pub, err := hex.DecodeString(key)
			if err != nil || len(pub) != ed25519.PublicKeySize {
				return fmt.Errorf("%w: --key %q: want the 64 hexadecimal digits that \"voxelpopuli identity show\" prints", host.ErrUsage, key)
			}
			if days < 1 || days > 36500 {
				return fmt.Errorf("%w: --days %d: want 1 to 36500", host.ErrUsage, days)
			}
			return onAuthority(c, args[0], func(a *authority.Authority) error {
				now := time.Now()
				cert, err := a.Issue(pub, note, now, now.Add(time.Duration(days)*24*time.Hour))
				if err != nil {
					return err
				}
				return paper(cmd, out, keyring.CertificateText(cert),
					fmt.Sprintf("Certificate %d for %s, for %d days", cert.Serial, cert.ID(), days))
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&key, "key", "", "public key of the node")
	f.StringVar(&note, "note", "", "who it is, for the list")
	f.IntVar(&days, "days", days, "how long it is in force")
	f.StringVar(&out, "out", "", "file to write the certificate to (default: print it)")
	return cmd
}

func authorityRevoke(c *common) *cobra.Command {
	var out, proof string
	cmd := &cobra.Command{
		Use:   "revoke NAME [NUMBER...]",
		Short: "Takes certificates back, with all others of the same nodes",
		Long: `Takes certificates back, with all others of the same nodes, and writes the new
list of revocations, which any node of the world may be given. Without a number
it writes a new list of what was revoked before.

With --proof it reads the evidence that a node has written down (evidence.jsonl
in the world's folder), checks it, and takes the certificates of those back who
have tampered with what they store. It does not matter from whom the file comes:
what does not prove anything changes nothing.`,
		Example: `  voxelpopuli authority revoke castle 3 4 --out revoked.pem
  voxelpopuli authority revoke castle --proof evidence.jsonl --out revoked.pem`,
		Args: func(cmd *cobra.Command, args []string) error {
			return usage(cmd, cobra.MinimumNArgs(1)(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var serials []uint64
			for _, s := range args[1:] {
				n, err := strconv.ParseUint(s, 10, 64)
				if err != nil {
					return fmt.Errorf("%w: %q is no number of a certificate", host.ErrUsage, s)
				}
				serials = append(serials, n)
			}
			return onAuthority(c, args[0], func(a *authority.Authority) error {
				if proof != "" {
					proven, err := provenBy(cmd.ErrOrStderr(), proof, a)
					if err != nil {
						return err
					}
					serials = append(serials, proven...)
				}
				list, err := a.Revoke(time.Now(), serials...)
				if err != nil {
					return err
				}
				return paper(cmd, out, keyring.RevocationsText(list),
					fmt.Sprintf("Version %d of the revocations, %d certificates", list.Version, len(list.Serials)))
			})
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "file to write the list to (default: print it)")
	cmd.Flags().StringVar(&proof, "proof", "", "file with evidence that a node has written down")
	return cmd
}

// provenBy reads evidence and returns the certificates of those who are guilty by
// it. Their revocation is new, or it is an error: nothing is to be done.
func provenBy(log io.Writer, file string, a *authority.Authority) ([]uint64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	verdict, err := evidence.Read(f, a.Genesis())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, why := range verdict.Refused {
		fmt.Fprintf(log, "%s: %v\n", file, why)
	}
	var serials []uint64
	for _, who := range id.Sorted(verdict.Guilty) {
		if valid := a.ValidOf(who); len(valid) > 0 {
			fmt.Fprintf(log, "%s is guilty: %d proofs.\n", who, verdict.Guilty[who])
			serials = append(serials, valid...)
		}
	}
	if len(serials) == 0 {
		return nil, fmt.Errorf("%w: of %d lines in %s none proves anything against a node that is not revoked yet", evidence.ErrNone, verdict.Lines, file)
	}
	return serials, nil
}

// paper writes what an authority gives out to a file and says so, or prints it.
func paper(cmd *cobra.Command, file string, b []byte, what string) error {
	if file == "" {
		_, err := cmd.OutOrStdout().Write(b)
		return err
	}
	if err := files.Write(file, b, 0o644); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", what, file)
	return err
}

// authorityJSON is an authority as list --json shows it.
type authorityJSON struct {
	Name    string             `json:"name"`
	World   string             `json:"world"`
	Genesis string             `json:"genesis"`
	Zones   int                `json:"zones"`
	Issued  []authority.Issued `json:"issued"`
}

func authorityRow(name string, a *authority.Authority) authorityJSON {
	g := a.Genesis()
	return authorityJSON{name, a.World().String(), hex.EncodeToString(g.Append(nil)), int(g.Zones), a.Issued()}
}

func authorityList(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list [NAME]",
		Short:   "Lists the authorities of this machine and what they have issued",
		Example: "  voxelpopuli authority list castle --json",
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names := args
			if len(names) == 0 {
				entries, err := os.ReadDir(authority.Folder(c.data, ""))
				if err != nil && !os.IsNotExist(err) {
					return err
				}
				for _, e := range entries {
					names = append(names, e.Name())
				}
			}
			rows := []authorityJSON{}
			for _, name := range names {
				err := onAuthority(c, name, func(a *authority.Authority) error {
					rows = append(rows, authorityRow(name, a))
					return nil
				})
				if err != nil {
					return err
				}
			}
			if asJSON {
				return encodeJSON(cmd.OutOrStdout(), rows)
			}
			return printAuthorities(cmd.OutOrStdout(), rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printAuthorities(out io.Writer, rows []authorityJSON) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(out, "There is no authority on this machine. voxelpopuli authority init makes one.")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\tworld %s\t%d zones\n", r.Name, r.World, r.Zones)
		for _, i := range r.Issued {
			revoked := ""
			if i.Revoked != nil {
				revoked = "revoked " + i.Revoked.Format(time.DateOnly)
			}
			fmt.Fprintf(w, "  %d\t%s\tuntil %s\t%s\t%s\n", i.Serial, i.Node, i.Until.Format(time.DateOnly), i.Note, revoked)
		}
	}
	return w.Flush()
}
