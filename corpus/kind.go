package corpus

import (
	"slices"
	"strings"
)

// kinds are the formats of documents as people call them.
var kinds = []struct {
	name  string
	types []ContentType
}{
	{"text", []ContentType{ContentPlain}},
	{"markdown", []ContentType{ContentMarkdown}},
	{"html", []ContentType{ContentHTML}},
	{"pdf", []ContentType{ContentPDF}},
	{"docx", []ContentType{ContentDOCX}},
	{"xlsx", []ContentType{ContentXLSX}},
	{"pptx", []ContentType{ContentPPTX}},
	{"odt", []ContentType{ContentODT}},
	{"ods", []ContentType{ContentODS}},
	{"odp", []ContentType{ContentODP}},
	{"rtf", []ContentType{ContentRTF}},
	{"doc", []ContentType{ContentDOC}},
	{"xls", []ContentType{ContentXLS}},
	{"ppt", []ContentType{ContentPPT}},
	{"msg", []ContentType{ContentMSG}},
	{"epub", []ContentType{ContentEPUB}},
	{"email", []ContentType{ContentEmail, ContentMailbox}},
	{"csv", []ContentType{ContentCSV}},
	{"json", []ContentType{ContentJSON}},
	{"log", []ContentType{ContentLog}},
	{"source", []ContentType{ContentSource}},
	{"markup", []ContentType{ContentMarkup}},
	{"xml", []ContentType{ContentXML}},
	{"image", ImageTypes()},
}

// Kinds returns what the formats of documents are called in short.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// KindTypes returns the content types of a kind, without parameters: one of Kinds, or a
// content type. There are none of what is neither.
func KindTypes(kind string) []ContentType {
	kind = strings.ToLower(kind)
	for _, k := range kinds {
		if k.name == kind || slices.Contains(k.types, ContentType(kind)) {
			if k.name == kind {
				return k.types
			}
			return []ContentType{ContentType(kind)}
		}
	}
	return nil
}

// Kind returns what a content type is called in short, and the type itself without parameters
// when it has no such name.
func (c ContentType) Kind() string {
	plain, _, _ := strings.Cut(string(c), ";")
	for _, k := range kinds {
		if slices.Contains(k.types, ContentType(plain)) {
			return k.name
		}
	}
	return plain
}
