package answers

import "regexp"

// listing are the ways to ask for all of a kind.
var listing = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(?:please )?(?:can you |could you )?(?:list|show|enumerate|name|give)(?: me)? (?:all|every|each)(?: of)?(?: the)? (.+)$`),
	regexp.MustCompile(`(?i)^(?:please )?(?:list|enumerate)(?: me)? (?:the |of )?(.+)$`),
	regexp.MustCompile(`(?i)^(?:a |the |full |complete )*list of (?:all )?(?:the )?(.+)$`),
	regexp.MustCompile(`(?i)^(?:which|what) (?:kinds?|types?|sorts?) of (.+?) (?:are|exist|is)(?: there| available)?$`),
	regexp.MustCompile(`(?i)^(?:which|what) (.+?) (?:are there|exist|are available|are supported|are possible|can i use|can be used|does it have|do you have)(?: .*)?$`),
	regexp.MustCompile(`(?i)^what are (?:all|all of) (?:the )?(.+)$`),
	regexp.MustCompile(`(?i)^(?:liste|zähle|nenne)(?: mir)? (?:alle|sämtliche)(?: der)? (.+?)(?: auf)?$`),
	regexp.MustCompile(`(?i)^welche (.+?) (?:gibt es|existieren)$`),
	regexp.MustCompile(`(?i)^(?:lista|enumera|muestra)(?: todos| todas)?(?: los| las)? (.+)$`),
	regexp.MustCompile(`(?i)^¿?(?:qué|cuáles) (.+?) (?:hay|existen)$`),
	regexp.MustCompile(`(?i)^(?:liste|énumère)(?: tous| toutes)?(?: les)? (.+)$`),
	regexp.MustCompile(`^(?:列出|列举)(?:所有|全部)?的?(.+)$`),
	regexp.MustCompile(`^有(?:哪些|什么)(.+)$`),
}

// Listing returns of what a question wants all: "list all X", "which X are there".
func Listing(question string) (of string, ok bool) {
	q := plainQuestion(question)
	for _, way := range listing {
		if found := way.FindStringSubmatch(q); found != nil {
			of = plainTerm(found[1])
			return of, of != ""
		}
	}
	return "", false
}
