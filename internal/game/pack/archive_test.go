package pack

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestZip(t *testing.T) {
	files := example()
	b, err := files.Zip()
	if err != nil {
		t.Fatal(err)
	}
	again, _ := example().Zip()
	got, err := FromZip(b)
	if err != nil || !bytes.Equal(b, again) || got.Hash() != files.Hash() {
		t.Fatalf("%v, the same zip %t, the same hash %t", err, bytes.Equal(b, again), got.Hash() == files.Hash())
	}
	for name := range files {
		changed := maps.Clone(files)
		changed[name] = append(bytes.Clone(files[name]), ' ')
		if changed.Hash() == files.Hash() {
			t.Errorf("%s does not count for the hash", name)
		}
	}
}

// zipOf makes a zip file of any names.
func zipOf(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileZip: a zip file cannot make a node unpack more than the limits, nor write
// outside of a folder.
func TestHostileZip(t *testing.T) {
	many := map[string][]byte{}
	for i := range MaxFiles + 1 {
		many[fmt.Sprintf("f%d.json", i)] = nil
	}
	large := map[string][]byte{}
	for i := range MaxTotal/MaxFile + 1 {
		large[fmt.Sprintf("f%d.json", i)] = make([]byte, MaxFile)
	}
	for name, b := range map[string][]byte{
		"no zip":        []byte("PK"),
		"a bomb":        zipOf(t, map[string][]byte{"pack.json": make([]byte, MaxFile+1)}),
		"too much":      zipOf(t, large),
		"many files":    zipOf(t, many),
		"strange names": zipOf(t, map[string][]byte{"Pack.JSON": nil}),
	} {
		if _, err := FromZip(b); !errors.Is(err, ErrPack) {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, err := FromZip(zipOf(t, map[string][]byte{"../pack.json": nil}))
	if err == nil && !slices.Equal(slices.Collect(maps.Keys(got)), []string{"pack.json"}) {
		t.Errorf("a path out of the folder: %v", slices.Collect(maps.Keys(got)))
	}
}

func FuzzFromZip(f *testing.F) {
	b, _ := example().Zip()
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		files, err := FromZip(b)
		if err != nil {
			if !errors.Is(err, ErrPack) {
				t.Fatal(err)
			}
			return
		}
		for name, b := range files {
			if !validPath(name) || len(b) > MaxFile {
				t.Fatalf("%s: %d bytes", name, len(b))
			}
		}
	})
}

// TestTemplate: a new pack has no errors, and its schemas are beside it.
func TestTemplate(t *testing.T) {
	files, err := Template("quarry")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Base().Add(files)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Packs[1]; got.Name != "quarry" || files[".schema/content.json"] == nil || files[".schema/pack.json"] == nil {
		t.Errorf("%+v, %v", got, slices.Collect(maps.Keys(files)))
	}
	if _, err := Template("../quarry"); !errors.Is(err, ErrPack) {
		t.Errorf("a path for a name: %v", err)
	}
}

// TestSchemas: editors accept the fields and words that the program accepts.
func TestSchemas(t *testing.T) {
	type object struct {
		Properties map[string]struct {
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	var manifest object
	var content struct {
		object
		Definitions map[string]object `json:"definitions"`
	}
	for name, into := range map[string]any{"pack": &manifest, "content": &content} {
		b, err := schemaFiles.ReadFile("schema/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, into); err != nil {
			t.Fatal(err)
		}
	}
	files := func(manifest, content string) Files {
		return Files{"pack.json": []byte(manifest), "c.json": []byte(content)}
	}
	const ok = `{"format":1,"name":"x","content":["c.json"]}`
	for what, c := range map[string]struct {
		schema object
		files  Files
	}{
		"pack.json":    {manifest, files(`{"format":1,"name":"x","content":["c.json"],"other":1}`, `{}`)},
		"content file": {content.object, files(ok, `{"other":1}`)},
		"block":        {content.Definitions["block"], files(ok, `{"blocks":[{"name":"a","class":"cube","sound":"stone","color":"#ffffff","other":1}]}`)},
		"item":         {content.Definitions["item"], files(ok, `{"items":[{"name":"a","color":"#ffffff","other":1}]}`)},
		"recipe":       {content.Definitions["recipe"], files(ok, `{"recipes":[{"makes":"stone","of":{"sand":1},"other":1}]}`)},
		"mob":          {content.Definitions["mob"], files(ok, `{"mobs":[{"name":"a","model":"cow","width":50,"height":50,"health":5,"walk":100,"other":1}]}`)},
	} {
		_, err := Base().Add(c.files)
		if err == nil {
			t.Fatalf("%s: an unknown field is accepted", what)
		}
		_, want, _ := strings.Cut(err.Error(), `no field "other"; want `)
		fields := strings.Split(want, ", ")
		var got []string
		for name := range c.schema.Properties {
			if name != "$schema" && name != "comment" {
				got = append(got, name)
			}
		}
		slices.Sort(fields)
		slices.Sort(got)
		if !slices.Equal(slices.Compact(fields), got) {
			t.Errorf("%s: the schema has the fields %v, the program %v", what, got, fields)
		}
	}
	mob := content.Definitions["mob"].Properties
	for name, want := range map[string][]string{"model": Models, "moves": movesNames} {
		if !slices.Equal(mob[name].Enum, want) {
			t.Errorf("%s: the schema has %v, the program %v", name, mob[name].Enum, want)
		}
	}
	block := content.Definitions["block"].Properties
	for name, want := range map[string][]string{"class": blockClasses, "support": supportNames[:], "sound": Sounds} {
		if !slices.Equal(block[name].Enum, want) {
			t.Errorf("%s: the schema has %v, the program %v", name, block[name].Enum, want)
		}
	}
}
