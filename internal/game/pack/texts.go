package pack

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Names of blocks, items and mobs in another language are in texts/LANGUAGE.json: an
// object of names and what they are called there.

const (
	textsFolder = "texts/"
	textsSuffix = ".json"
)

// isTexts returns the language of a file of texts.
func isTexts(file string) (language string, ok bool) {
	language, ok = strings.CutSuffix(file, textsSuffix)
	if !ok {
		return "", false
	}
	language, ok = strings.CutPrefix(language, textsFolder)
	return language, ok
}

func (r *reader) texts() {
	languages := 0
	for _, file := range slices.Sorted(maps.Keys(r.files)) {
		language, ok := isTexts(file)
		if !ok {
			continue
		}
		if languages++; len(language) != 2 || !validName(language) || languages > MaxTexts {
			r.add(file, 0, "want %sLL%s with a language of two letters, such as de, and at most %d of them", textsFolder, textsSuffix, MaxTexts)
			continue
		}
		if o, ok := r.parse(file, "texts"); ok {
			r.language(language, o)
		}
	}
}

// language reads the texts of one language.
func (r *reader) language(language string, o *object) {
	of := r.out.Texts[language]
	all := make(map[string]string, len(of)+len(o.fields))
	maps.Copy(all, of)
	for i := range o.fields {
		f := &o.fields[i]
		text, _ := f.scalar.(string)
		switch {
		case f.name == "$schema" || f.name == "comment":
		case !r.own(f.name):
			o.fail(f.line, "there is no block, item or mob %q in this pack", f.name)
		case text == "" || len(text) > MaxTitle || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }):
			o.fail(f.line, "%s: want a text of 1 to %d bytes that can be shown", f.name, MaxTitle)
		default:
			all[f.name] = text
		}
	}
	r.out.Texts[language] = all
}

// own reports whether the pack has something of a name.
func (r *reader) own(name string) bool {
	id, ok := r.ids[name]
	return ok && int(id) >= r.first || slices.ContainsFunc(r.out.Mobs[r.firstMob:], func(m Mob) bool { return m.Name == name })
}
