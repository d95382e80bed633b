package main

import "github.com/kappagraph/kappa/internal/extract/english/relations"

// types are what the properties of Wikidata that Re-DocRED is annotated with are to us: a type,
// after relations.Backward when it goes from the tail to the head, and the symmetric ones after
// "=". What has a name nowhere is relations.Other.
var types = map[string]string{
	"P131": "LOCATED_IN", "P17": "LOCATED_IN", "P276": "LOCATED_IN", "P30": "LOCATED_IN", "P706": "LOCATED_IN", "P159": "LOCATED_IN", "P205": "LOCATED_IN",
	"P740": "LOCATED_IN", "P150": "<LOCATED_IN", "P495": "COMES_FROM", "P206": "NEXT_TO", "P403": "FLOWS_INTO",
	"P1001": "BELONGS_TO", "P194": "<BELONGS_TO",
	"P27": "CITIZEN_OF", "P19": "BORN_IN", "P20": "DIED_IN", "P551": "LIVES_IN", "P937": "LIVES_IN",
	"P800": "CREATED", "P50": "<CREATED", "P170": "<CREATED", "P86": "<CREATED", "P58": "<CREATED", "P676": "<CREATED",
	"P175": "<PERFORMED", "P57": "<DIRECTED", "P161": "<APPEARS_IN", "P674": "<APPEARS_IN", "P1441": "APPEARS_IN",
	"P264": "<PUBLISHED", "P123": "<PUBLISHED", "P449": "<PUBLISHED",
	"P162": "<PRODUCES", "P272": "<PRODUCES", "P178": "<PRODUCES", "P176": "<PRODUCES", "P1056": "PRODUCES",
	"P527": "<PART_OF", "P361": "PART_OF", "P179": "PART_OF",
	"P463": "MEMBER_OF", "P54": "MEMBER_OF", "P102": "MEMBER_OF", "P118": "MEMBER_OF", "P241": "MEMBER_OF",
	"P108": "WORKS_FOR", "P69": "STUDIED_AT", "P26": "=MARRIED_TO", "P3373": "=SIBLING_OF", "P40": "<CHILD_OF", "P22": "CHILD_OF", "P25": "CHILD_OF",
	"P1344": "PARTICIPATED_IN", "P710": "<PARTICIPATED_IN", "P607": "PARTICIPATED_IN", "P166": "RECEIVED",
	"P127": "<OWNS", "P749": "<OWNS", "P355": "OWNS", "P137": "<OPERATES", "P112": "<FOUNDED",
	"P488": "<LEADS", "P169": "<LEADS", "P6": "<LEADS", "P35": "<LEADS", "P36": "<CAPITAL_OF", "P1376": "CAPITAL_OF",
	"P31": "INSTANTIATES", "P279": "SPECIALIZES", "P171": "SPECIALIZES",
	"P155": "FOLLOWS", "P156": "<FOLLOWS", "P1366": "<REPLACES", "P1365": "REPLACES",
}

// classOf returns the class of a property for a pair whose first mention is its head, or its tail.
func classOf(property string, headFirst bool) string {
	class, ok := types[property]
	switch {
	case !ok:
		return relations.Other
	case class[0] == '=':
		return class[1:]
	case class[0] == '<':
		class, headFirst = class[1:], !headFirst
	}
	if !headFirst {
		return relations.Backward + class
	}
	return class
}
