package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/store/authority"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

func newWorld(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "world",
		Short:   "Makes, lists, checks, exports, imports, backs up and deletes worlds",
		Example: "  voxelpopuli world list\n  voxelpopuli world export home home.vpworld",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(worldNew(c), worldList(c), worldInfo(c), worldExport(c), worldImport(c), worldExportSchem(c), worldImportSchem(c), worldCheck(c), worldBackup(c), worldDelete(c), worldHosts(c), worldPacks(c), worldMerge(c), worldBookmarks(c))
	return cmd
}

// inFolder makes what is done with a data folder a command's RunE.
func inFolder(c *common, do func(*cobra.Command, *worldfs.Folder, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		f, err := worldfs.OpenFolder(c.data)
		if err != nil {
			return err
		}
		return do(cmd, f, args)
	}
}

func worldNew(c *common) *cobra.Command {
	var n host.NewWorld
	var authorityName string
	difficulty := identity.DefaultDifficulty
	var packs []string
	hasStorage, storage := false, host.Storage{After: 10 * time.Minute, LMax: 2 * time.Second, Regions: 64}
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Makes a world",
		Example: `  voxelpopuli world new castle --seed 42 --mode creative
  voxelpopuli world new castle --pack quarry --pack farm.zip
  voxelpopuli world new castle --authority castle --storage --storage-after 1h`,
		Args: exactly(1),
		RunE: inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			n.Name = args[0]
			g, err := genesisOf(c, authorityName, difficulty)
			if err != nil {
				return err
			}
			n.Genesis = g
			if hasStorage {
				n.Storage = &storage
			}
			n.Searching = searchingOf(cmd)
			if n.Packs, err = packsOf(packs); err != nil {
				return err
			}
			m, err := host.CreateWorld(f, n)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Made %s with the seed %s. Play: voxelpopuli play --world %q\n", m.Name, m.Seed, m.Name)
			return err
		}),
	}
	cmd.Flags().StringVar(&n.Seed, "seed", "", "what it grows from: a number or a text (default random)")
	cmd.Flags().StringVar(&n.Mode, "mode", "survival", "how newcomers play: survival or creative")
	cmd.Flags().StringVar(&n.Hosting, "hosting", "", "which nodes may host it: invited or open (default invited; with --authority that decides)")
	cmd.Flags().StringVar(&authorityName, "authority", "", "name of the authority of this machine that admits its nodes (default: none)")
	cmd.Flags().IntVar(&difficulty, "difficulty", difficulty, "bits of the puzzle that a node's id must solve, without an authority")
	for _, name := range []string{"storage", "truth"} {
		f := cmd.Flags()
		f.BoolVar(&hasStorage, name, false, "its nodes keep it in the replicated storage, which shows who tampers with it (needs --authority)")
		f.DurationVar(&storage.After, name+"-after", storage.After, "when that begins, after the world is first open to other nodes: those that are to keep it should be there by then")
		f.DurationVar(&storage.LMax, name+"-latency", storage.LMax, "the longest that a message between nodes takes; the storage agrees on the world every five times that")
		f.Int32Var(&storage.Regions, name+"-regions", storage.Regions, "how many regions of 128 m a side of the stored world has, an even number")
	}
	// The previous names, for one version.
	for _, option := range []string{"", "-after", "-latency", "-regions"} {
		_ = cmd.Flags().MarkDeprecated("truth"+option, "it is called --storage"+option+" now, and this name ends with the next version")
	}
	cmd.Flags().StringSliceVar(&packs, "pack", nil, "a content pack that it has besides the base pack, a folder or a zip file; may be given several times")
	cmd.Flags().BoolVar(&n.Peaceful, "peaceful", false, "no monsters come, and nobody gets hungry")
	cmd.Flags().BoolVar(&n.Drops, "drops", false, "who dies leaves what it carried where it died")
	cmd.Flags().Int32Var(&n.Protect, "protect", 0, "blocks around the spawn, to each side, that only operators may change")
	return cmd
}

// genesisOf is what a new world begins with: its authority's, or an open one.
func genesisOf(c *common, name string, difficulty int) (g identity.Genesis, err error) {
	if name == "" {
		if difficulty < 0 || difficulty > identity.MaxDifficulty {
			return g, fmt.Errorf("%w: --difficulty %d: want 0 to %d", host.ErrUsage, difficulty, identity.MaxDifficulty)
		}
		return worldfs.OpenGenesis(difficulty), nil
	}
	err = onAuthority(c, name, func(a *authority.Authority) error {
		g = a.Genesis()
		return nil
	})
	return g, err
}

func worldList(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "Lists the worlds",
		Example: "  voxelpopuli world list --json",
		Args:    noArgs,
		RunE: inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, _ []string) error {
			worlds, err := f.List()
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), worlds)
			}
			return printList(cmd.OutOrStdout(), worlds)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printList(out io.Writer, worlds []worldfs.Info) error {
	if len(worlds) == 0 {
		_, err := fmt.Fprintln(out, "There is no world yet. voxelpopuli play makes one.")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSEED\tMODE\tMADE\tSIZE\t")
	for _, i := range worlds {
		if i.Err != nil {
			fmt.Fprintf(w, "%s\t\t\t\t%s\t%v\n", i.Name, size(i.Bytes), i.Err)
			continue
		}
		open := ""
		if i.InUse {
			open = "open"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", i.Name, i.Seed, i.Mode, i.Created.Format(time.DateOnly), size(i.Bytes), open)
	}
	return w.Flush()
}

func size(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// printJSON prints worlds with what is wrong as text.
func printJSON(out io.Writer, worlds []worldfs.Info) error {
	type row struct {
		worldfs.Meta
		Dir   string `json:"dir"`
		Bytes int64  `json:"bytes"`
		InUse bool   `json:"open"`
		Err   string `json:"error,omitempty"`
	}
	rows := []row{}
	for _, i := range worlds {
		r := row{i.Meta, i.Dir, i.Bytes, i.InUse, ""}
		if i.Err != nil {
			r.Err = i.Err.Error()
		}
		rows = append(rows, r)
	}
	return encodeJSON(out, rows)
}

// encodeJSON prints a value as the commands do with --json.
func encodeJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func worldInfo(c *common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "info NAME",
		Short:   "Shows a world",
		Example: "  voxelpopuli world info home",
		Args:    exactly(1),
		RunE: inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			i, err := f.Info(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), []worldfs.Info{i})
			}
			backups, err := f.Backups(i.Name)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintf(w, "name\t%s\nid\t%s\nseed\t%s\nmode\t%s\nmade\t%s\nspawn\t%s\n", i.Name, i.ID, i.Seed, i.Mode, i.Created.Format(time.DateTime), i.Spawn)
			fmt.Fprintf(w, "nodes\t%s\n", admission(i.Meta))
			if s := storageText(i.Meta); s != "" {
				fmt.Fprintf(w, "storage\t%s\n", s)
			}
			fmt.Fprintf(w, "protected\t%d blocks around the spawn\nwhitelist\t%v\n", i.Rules.Protect, i.Rules.Whitelist)
			fmt.Fprintf(w, "folder\t%s\nsize\t%s\nopen\t%v\nbackups\t%d\n", i.Dir, size(i.Bytes), i.InUse, len(backups))
			return w.Flush()
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// storageText says what replicated storage a world has; empty: none.
func storageText(m worldfs.Meta) string {
	if r, err := genesis.DecodeText(m.Record); err == nil && r.Truth != (genesis.Truth{}) {
		return fmt.Sprintf("since %s, every %v, %d regions a side", time.Unix(0, int64(r.Truth.Begin)).UTC().Format(time.DateTime), 5*r.Truth.LMax, r.Truth.Regions)
	}
	if s := m.Rules.Storage; s != (worldfs.Storage{}) {
		return fmt.Sprintf("%v after the world is first open to other nodes, every %v, %d regions a side",
			time.Duration(s.After)*time.Second, 5*time.Duration(s.LMax)*time.Millisecond, s.Regions)
	}
	return ""
}

// admission says who may take part in a world as a node.
func admission(m worldfs.Meta) string {
	switch g := m.Genesis; {
	case m.Rules.Hosting == "invited":
		return "that the founder has invited"
	case !g.Verified() && g.Difficulty == 0:
		return "anybody's"
	case g.Verified():
		return fmt.Sprintf("with a certificate of the authority %x", g.Authority)
	}
	return fmt.Sprintf("whose id solves a puzzle of %d bits", m.Genesis.Difficulty)
}

func worldExport(c *common) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "export NAME FILE",
		Short: "Writes a world to one compressed file",
		Long: `Writes a world to one compressed file (docs/formats/export.md). The world must not
be open. Of a world that several nodes host it is what this machine keeps. Only you
can read the file. A file that is there is replaced only with --force.`,
		Example: "  voxelpopuli world export home home.vpworld",
		Args:    exactly(2),
		RunE: inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			share, err := f.ExportFile(args[0], args[1], force)
			if err != nil {
				return err
			}
			sayMissing(cmd, share)
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Exported %s to %s.\n", args[0], args[1])
			return err
		}),
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}

// sayMissing tells what an export or a backup does not have.
func sayMissing(cmd *cobra.Command, s worldfs.Share) {
	if text := s.String(); text != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), text)
	}
}

func worldBackup(c *common) *cobra.Command {
	keep := 0
	cmd := &cobra.Command{
		Use:   "backup NAME",
		Short: "Writes a backup into the data folder",
		Long: `Writes a backup into the folder backups of the data folder. The world must not
be open: an open world writes its backups itself (play and node, --backup-every).`,
		Example: "  voxelpopuli world backup home --keep 7",
		Args:    exactly(1),
		RunE: inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			w, err := f.Open(args[0])
			if err != nil {
				return err
			}
			defer w.Close()
			share, err := w.Share()
			if err != nil {
				return err
			}
			file, err := f.Backup(w, time.Now(), keep)
			if err != nil {
				return err
			}
			sayMissing(cmd, share)
			_, err = fmt.Fprintln(cmd.OutOrStdout(), file)
			return err
		}),
	}
	cmd.Flags().IntVar(&keep, "keep", 0, "how many backups to keep; 0: all")
	return cmd
}

func worldDelete(c *common) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:     "delete NAME",
		Short:   "Deletes a world for good; its backups stay",
		Example: "  voxelpopuli world delete castle --yes",
		Args:    exactly(1),
		RunE: inFolder(c, func(cmd *cobra.Command, f *worldfs.Folder, args []string) error {
			i, err := f.Info(args[0])
			if err != nil && i.Dir == "" {
				return err
			}
			if !yes && !confirmed(cmd, i.Name) {
				return fmt.Errorf("nothing was deleted (--yes deletes without asking)")
			}
			if err := f.Delete(i.Name); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Deleted %s.\n", i.Name)
			return err
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// confirmed lets the person type the world's name.
func confirmed(cmd *cobra.Command, name string) bool {
	fmt.Fprintf(cmd.ErrOrStderr(), "This deletes %s for good. Type its name to go on: ", name)
	line, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	return strings.TrimSpace(line) == name
}
