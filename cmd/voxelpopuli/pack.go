package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

func newPack() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pack",
		Short: "Makes, checks and builds content packs: blocks and recipes as data",
		Long: `Makes, checks and builds content packs: blocks and recipes as data (docs/packs.md).

The exit code is 0 if a pack has no errors, otherwise 8. Every error names its file and
line.`,
		Example: "  voxelpopuli pack new quarry\n  voxelpopuli pack check quarry\n  voxelpopuli pack build quarry",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(packNew(), packCheck(), packBuild())
	return cmd
}

func packNew() *cobra.Command {
	return &cobra.Command{
		Use:     "new NAME",
		Short:   "Makes a folder with a small pack that is right, and the schemas for an editor",
		Example: "  voxelpopuli pack new quarry",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := pack.Template(args[0])
			if err != nil {
				return fmt.Errorf("%w: %w", host.ErrUsage, err)
			}
			if err := os.Mkdir(args[0], 0o755); err != nil {
				return err
			}
			for name, b := range f {
				to := filepath.Join(args[0], filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
					return err
				}
				if err := os.WriteFile(to, b, 0o644); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Made the folder %s. Edit content.json in it, then: voxelpopuli pack check %s\n", args[0], args[0])
			return err
		},
	}
}

func packCheck() *cobra.Command {
	return &cobra.Command{
		Use:     "check PACK",
		Short:   "Says what is wrong with a pack, a folder or a zip file, or what is in it",
		Example: "  voxelpopuli pack check quarry",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, c, err := readPack(args[0])
			if err != nil {
				return err
			}
			return describePack(cmd.OutOrStdout(), f, c)
		},
	}
}

func packBuild() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "build PACK",
		Short:   "Makes a zip file of a pack that has no errors",
		Example: "  voxelpopuli pack build quarry --out quarry.zip",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, c, err := readPack(args[0])
			if err != nil {
				return err
			}
			b, err := f.Zip()
			if err != nil {
				return err
			}
			if out == "" {
				out = c.Packs[len(c.Packs)-1].Name + ".zip"
			}
			if err := files.Write(out, b, 0o644); err != nil {
				return err
			}
			if err := describePack(cmd.OutOrStdout(), f, c); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Wrote %s, %d bytes.\n", out, len(b))
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the zip file (default: the pack's name and .zip)")
	return cmd
}

// readPack reads a pack from a folder or a zip file, and checks it on top of the
// base pack.
func readPack(from string) (pack.Files, *pack.Content, error) {
	f, err := packFiles(from)
	if err != nil {
		return nil, nil, err
	}
	c, err := pack.Base().Add(f)
	return f, c, err
}

func packFiles(from string) (pack.Files, error) {
	st, err := os.Stat(from)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", host.ErrUsage, err)
	}
	if st.IsDir() {
		return pack.FromFS(os.DirFS(from))
	}
	file, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(file, 2*pack.MaxTotal)); err != nil {
		return nil, err
	}
	return pack.FromZip(b.Bytes())
}

// describePack prints what a pack adds to the base pack.
func describePack(w io.Writer, f pack.Files, c *pack.Content) error {
	m, base, n := c.Packs[len(c.Packs)-1], pack.Base(), c.Names()
	_, err := fmt.Fprintf(w, "%s (%s): %d blocks and items, %d recipes, %d mobs, %d textures, no errors.\nHash: %x\n",
		m.Title, m.Name, len(n.Blocks), len(c.Recipes)-len(base.Recipes), len(n.Mobs), len(c.Pictures), f.Hash())
	return err
}
