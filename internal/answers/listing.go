package answers

// listing are the ways to ask for all of a kind.
var listing = []form{
	way("all|every|each", `(?i)^(?:please )?(?:can you |could you )?(?:list|show|enumerate|name|give)(?: me)? (?:all|every|each)(?: of)?(?: the)? (.+)$`),
	way("list|enumerate", `(?i)^(?:please )?(?:list|enumerate)(?: me)? (?:the |of )?(.+)$`),
	way("list of", `(?i)^(?:a |the |full |complete )*list of (?:all )?(?:the )?(.+)$`),
	way("kind|type|sort", `(?i)^(?:which|what) (?:kinds?|types?|sorts?) of (.+?) (?:are|exist|is)(?: there| available)?$`),
	way("are there|exist|are available|are supported|are possible|can i use|can be used|does it have|do you have", `(?i)^(?:which|what) (.+?) (?:are there|exist|are available|are supported|are possible|can i use|can be used|does it have|do you have)(?: .*)?$`),
	way("what are all", `(?i)^what are (?:all|all of) (?:the )?(.+)$`),
	way("liste|zähle|nenne", `(?i)^(?:liste|zähle|nenne)(?: mir)? (?:alle|sämtliche)(?: der)? (.+?)(?: auf)?$`),
	way("welche", `(?i)^welche (.+?) (?:gibt es|existieren)$`),
	way("lista|enumera|muestra", `(?i)^(?:lista|enumera|muestra)(?: todos| todas)?(?: los| las)? (.+)$`),
	way("qué|cuáles", `(?i)^¿?(?:qué|cuáles) (.+?) (?:hay|existen)$`),
	way("liste|énumère", `(?i)^(?:liste|énumère)(?: tous| toutes)?(?: les)? (.+)$`),
	way("列", `^(?:列出|列举)(?:所有|全部)?的?(.+)$`),
	way("有哪|有什", `^有(?:哪些|什么)(.+)$`),
}

// Listing returns of what a question wants all: "list all X", "which X are there".
func Listing(question string) (of string, ok bool) {
	found := find(listing, plainQuestion(question))
	if found == nil {
		return "", false
	}
	of = plainTerm(found[1])
	return of, of != ""
}
