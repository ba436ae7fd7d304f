package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

const envPrefix = "VOXELPOPULI_"

// configure fills in the flags that were not given: from the environment, and
// from config.json in the data folder.
func configure(cmd *cobra.Command, data *string) error {
	var firstErr error
	given := map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		given[f.Name] = f.Changed
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if f.Changed || !ok || f.Name == "help" {
			return
		}
		given[f.Name] = true
		if err := cmd.Flags().Set(f.Name, value); err != nil && firstErr == nil {
			firstErr = fmt.Errorf("%w: %s: %w", host.ErrUsage, name, err)
		}
	})
	if firstErr != nil {
		return firstErr
	}
	return configureFromFile(cmd, filepath.Join(*data, "config.json"), given)
}

func configureFromFile(cmd *cobra.Command, file string, given map[string]bool) error {
	b, err := files.ReadSmall(file, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	settings, err := decodeSettings(b)
	if err != nil {
		return fmt.Errorf("settings: %s: %w: %v. Mend or remove it", file, disk.ErrDamaged, err)
	}
	known := knownFlags(cmd.Root())
	names := make([]string, 0, len(settings))
	for name := range settings {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if !known[name] || name == "data" {
			return fmt.Errorf("%w: %s: there is no setting %q", host.ErrUsage, file, name)
		}
		if f := cmd.Flags().Lookup(name); f == nil || given[name] {
			continue // another command's, or decided already
		}
		value, err := plain(settings[name])
		if err == nil {
			err = cmd.Flags().Set(name, value)
		}
		if err != nil {
			return fmt.Errorf("%w: %s: %s: %w", host.ErrUsage, file, name, err)
		}
	}
	return nil
}

// knownFlags are the flags of all commands: what config.json may set.
func knownFlags(root *cobra.Command) map[string]bool {
	out := map[string]bool{}
	add := func(f *pflag.Flag) { out[f.Name] = true }
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(add)
		c.PersistentFlags().VisitAll(add)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return out
}

// maxConfig bounds config.json.
const maxConfig = 1 << 20

// decodeSettings reads config.json.
func decodeSettings(b []byte) (map[string]any, error) {
	var settings map[string]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber() // 4747000000 is no 4.747e+09
	if err := d.Decode(&settings); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows its end")
	}
	return settings, nil
}

// plain writes a JSON value as it would stand behind a flag.
func plain(v any) (string, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	words := make([]string, len(list))
	for i, w := range list {
		switch w.(type) {
		case string, bool, json.Number:
			words[i] = fmt.Sprint(w)
		default:
			return "", errors.New("want a text, a number, true, false, or a list of these")
		}
	}
	return strings.Join(words, ","), nil
}
