package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

func newIdentity(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "identity",
		Short: "Shows, makes, exports and imports this machine's keys",
		Long: `Shows, makes, exports and imports this machine's keys: the node's, and those of
the players of this machine that are no browsers. Who has a key is the node or
the player: keep exports and their passphrases apart. They are kept in the
folder keys of the data folder.`,
		Example: "  voxelpopuli identity show\n  voxelpopuli identity export my-keys.pem",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(identityShow(c), identityNew(c), identityExport(c), identityImport(c))
	return cmd
}

// keyRow is a key as it is shown: without the secret.
type keyRow struct {
	Kind   string    `json:"kind"`
	Name   string    `json:"name,omitempty"`
	ID     string    `json:"id"`
	Public string    `json:"public"`
	Bits   int       `json:"difficulty"`
	Made   time.Time `json:"made"`
}

func rowOf(k keyring.Key) keyRow {
	return keyRow{k.Kind, k.Name, k.ID().String(), hex.EncodeToString(k.Public()), identity.Difficulty(k.ID()), k.Made}
}

func printKeys(cmd *cobra.Command, asJSON bool, keys []keyring.Key) error {
	rows := []keyRow{}
	for _, k := range keys {
		rows = append(rows, rowOf(k))
	}
	if asJSON {
		return encodeJSON(cmd.OutOrStdout(), rows)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\nid\t%s\npublic key\t%s\npuzzle\t%d bits\nmade\t%s\n\n", strings.TrimSpace(r.Kind+" "+r.Name), r.ID, r.Public, r.Bits, r.Made.Format(time.DateTime))
	}
	return w.Flush()
}

func identityShow(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show",
		Short:   "Shows the ids and public keys; makes the node's key if there is none",
		Example: "  voxelpopuli identity show --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ring, err := keyring.Open(c.data)
			if err != nil {
				return err
			}
			if _, err := ring.Get(keyring.Node, ""); errors.Is(err, keyring.ErrNone) {
				if _, err := ring.Node(identity.DefaultDifficulty, searching(cmd, identity.DefaultDifficulty)); err != nil {
					return err
				}
			}
			keys, err := ring.List()
			if err != nil {
				return err
			}
			return printKeys(cmd, asJSON, keys)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// searching says now and then how the search for a key goes, the first time before a
// person wonders why nothing happens.
func searching(cmd *cobra.Command, difficulty int) func(uint64) bool {
	next := time.Now().Add(200 * time.Millisecond)
	return func(tried uint64) bool {
		if now := time.Now(); now.After(next) {
			next = now.Add(time.Second)
			fmt.Fprintf(cmd.ErrOrStderr(), "Making this machine's key, which takes a few seconds once: %d keys tried, about %d are needed.\n", tried, identity.Expected(difficulty))
		}
		return cmd.Context().Err() == nil
	}
}

// searchingOf is searching for whoever finds out later how hard the puzzle is.
func searchingOf(cmd *cobra.Command) host.Searching {
	return func(difficulty int) func(uint64) bool { return searching(cmd, difficulty) }
}

func identityNew(c *common) *cobra.Command {
	difficulty, asJSON := identity.DefaultDifficulty, false
	cmd := &cobra.Command{
		Use:   "new node|PLAYER",
		Short: "Makes a new key for the node, or for a player of this machine",
		Long: `Makes a new key for the node, or for a player of this machine. A key that is
there is kept in a file beside it: with another key the node is another node,
and the player is nobody whom worlds know.`,
		Example: "  voxelpopuli identity new node --difficulty 20\n  voxelpopuli identity new Ada",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ring, err := keyring.Open(c.data)
			if err != nil {
				return err
			}
			kind, name, bits := keyring.Player, args[0], 0
			if name == keyring.Node {
				kind, name, bits = keyring.Node, "", difficulty
			}
			k, old, err := ring.New(kind, name, bits, searching(cmd, bits))
			if err != nil {
				return err
			}
			if old != "" {
				fmt.Fprintln(cmd.ErrOrStderr(), "The old key is kept in", old)
			}
			return printKeys(cmd, asJSON, []keyring.Key{k})
		},
	}
	cmd.Flags().IntVar(&difficulty, "difficulty", difficulty, "bits of the puzzle that the node's id must solve (open worlds)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func identityExport(c *common) *cobra.Command {
	var passphrase string
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Writes all keys to one file that is locked with a passphrase",
		Example: `  voxelpopuli identity export my-keys.pem
  voxelpopuli identity export my-keys.pem --passphrase-file secret.txt`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ring, err := keyring.Open(c.data)
			if err != nil {
				return err
			}
			keys, err := ring.List()
			if err != nil {
				return err
			}
			if len(keys) == 0 {
				return fmt.Errorf("%w: this machine has no keys yet", keyring.ErrNone)
			}
			secret, err := readPassphrase(cmd, passphrase, true)
			if err != nil {
				return err
			}
			b, err := keyring.Seal(keys, secret)
			if err != nil {
				return fmt.Errorf("%w: %w", host.ErrUsage, err)
			}
			if err := files.WriteNew(args[0], b, 0o600); err != nil {
				return fmt.Errorf("export of keys: %w", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Exported %d keys to %s.\n", len(keys), args[0])
			return err
		},
	}
	passphraseFlag(cmd, &passphrase)
	return cmd
}

// maxExport is how large a file of exported keys may be.
const maxExport = 1 << 20

func identityImport(c *common) *cobra.Command {
	var passphrase string
	var replace, asJSON bool
	cmd := &cobra.Command{
		Use:     "import FILE",
		Short:   "Adds the keys of an export to this machine's",
		Example: "  voxelpopuli identity import my-keys.pem",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ring, err := keyring.Open(c.data)
			if err != nil {
				return err
			}
			b, err := files.ReadSmall(args[0], maxExport)
			if err != nil {
				return err
			}
			secret, err := readPassphrase(cmd, passphrase, false)
			if err != nil {
				return err
			}
			keys, err := keyring.Unseal(b, secret)
			if err != nil {
				return err
			}
			fresh, err := ring.Import(keys, replace)
			if err != nil {
				return err
			}
			if !asJSON {
				fmt.Fprintf(cmd.OutOrStdout(), "%d of %d keys are new here.\n\n", len(fresh), len(keys))
			}
			return printKeys(cmd, asJSON, fresh)
		},
	}
	passphraseFlag(cmd, &passphrase)
	cmd.Flags().BoolVar(&replace, "replace", false, "use the imported keys instead of those that are here, which are kept in files beside them")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
