package http

import (
	"embed"
	"path"
	"strings"
	"sync"
)

// described is what is to know of routes beyond their summaries: a file for each tag, in
// which a heading names the IDs of the routes that the text below it is about.
//
//go:embed descriptions/*.md
var described embed.FS

// descriptions returns the texts of described by the ID of a route, in Markdown.
var descriptions = sync.OnceValue(func() map[string]string {
	texts := map[string]string{}
	files, _ := described.ReadDir("descriptions") // embedded: it is there
	for _, file := range files {
		body, _ := described.ReadFile(path.Join("descriptions", file.Name()))
		for section := range strings.SplitSeq("\n"+string(body), "\n## ") {
			heading, text, _ := strings.Cut(section, "\n")
			for id := range strings.SplitSeq(heading, ", ") {
				texts[id] = strings.TrimSpace(text)
			}
		}
	}
	delete(texts, "") // what stands before the first heading
	return texts
})

// Described returns the IDs of the routes that have a description.
func Described() (ids []string) {
	for id := range descriptions() {
		ids = append(ids, id)
	}
	return ids
}
