package english

// The lists below are what the extractor knows about English. They are ordered
// by how little a word says about a text's subject: function words say nothing,
// generic words nothing on their own, and the bands from "everyday" to
// "topical" stand for the share of English texts that use a word at all, about
// one in five, one in twenty and one in eighty. A word in no list is rare.

const functionWords = `
a about above across after again against ago all almost along alongside already also although always am amid among amongst
an and another any anybody anyone anything anywhere apart are aren't around as aside at away back be because been before
behind being below beneath beside besides between beyond both but by can cannot could despite did do does doing done down
during each either else elsewhere enough etc even ever every everybody everyone everything everywhere except few fewer for
from further had half hardly has have having he hence her here hers herself him himself his how however i if in indeed inside
instead into is it its itself just least less let like likewise may maybe me meanwhile might mine more moreover most mostly much must my
myself near nearly neither never nevertheless next no nobody none nonetheless nor not nothing now nowhere of off often on
once one ones only onto or other others otherwise ought our ours ourselves out outside over own per perhaps plus quite rather
really regarding same several shall she should since so some somebody somehow someone something sometimes somewhere soon still such
than that the their theirs them themselves then there thereby therefore these they this those though through throughout thus
till to today together tomorrow too toward towards twice under underneath unless unlike until up upon us usually versus very via vs was
we well were what whatever when whenever where whereas wherever whether which whichever while who whoever whole whom whose
why will with within without won't would yes yesterday yet you your yours yourself e.g. i.e. etc. cf. et al. viz.
two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen first second third
ms kb mb gb tb hz khz mhz ghz cm mm km nm px zero anyway afterwards beforehand nowadays`

const genericWords = `
ability account act action addition advantage aim amount analogue area aspect attempt author basis beginning benefit bit case cause chance change
choice circumstance class combination comparison component concept condition consequence content context contrast contribution
course day deal decade definition degree detail difference difficulty direction discussion effect effort element end evidence
example existence explanation extent fact factor feature figure finding form future goal group half hand history hour idea
importance improvement increase decrease decline individual influence information instance introduction issue item kind knowledge lack
layer lead length level limit line list look lot main majority manner matter means meaning member mention method minority minute mode moment
month name nature need notion number object occasion one opinion option order origin outcome outside overview pair part
particular people percent percentage period person perspective piece place point position possibility practice presence
present principle problem procedure process product property proportion purpose quality quantity quarter question range rate ratio
reason reference region relation relationship requirement research respect response rest result role row scale section
sense sequence series set shape share side significance similarity situation size solution sort source stage standpoint
start state statement step stop story structure study subject success sum summary support surface system task team technique
term thing time title today top topic total trend trouble try type understanding unit usage use user value variation
variety version view way week whole word work world year yesterday others something anything everything nothing someone
thousands millions hundreds dozens couple plenty bulk remainder rest second minute kilometre kilometer metre meter mile
century age era date figure table chapter page above below following latter former first last`

const emptyModifiers = `
able reusable dedicated robust scalable seamless flexible comprehensive above-mentioned abundant actual additional adequate alleged alternative ample another any apparent appropriate available average bad basic
best better big brief broad careful central certain clear close common comparable complete complex considerable correct
corresponding crucial current decent deep desirable detailed different difficult direct distinct due earlier early easier easy
effective efficient eight enormous enough entire equal equivalent especial essential eventual every exact excellent existing
extensive extra extreme fair famous far fast faster few fewer final fine first five following former four frequent fresh full
further general given good great greater greatest growing half hard heavy helpful high higher highest huge identical
immediate important impressive improved inadequate increased increasing individual initial interesting key known large larger largest last
late later latest latter least less lesser light likely limited little long longer longest lot low lower lowest main major
many marked mere minimal minor modern moderate more most multiple narrow near nearby necessary new newer newest
next nice nine normal notable noted novel numerous obvious occasional old older oldest one only open-ended ordinary original other
overall own particular partial past perfect plain popular poor possible potential powerful practical precise preferred present
previous prime principal prior probable prominent proper proposed pure quick rapid rare real reasonable recent regular related
relative relevant remaining remarkable respective right rough same satisfactory second secondary separate serious seven several short shorter
significant similar simple simpler simultaneous single six slight slow small smaller smallest so-called sole special
specific standard steady strange strict strong stronger strongest subsequent substantial successful such sudden sufficient
suitable sure tall ten third three tiny top total tough traditional tremendous true two typical ultimate unable uncommon unique
unknown unlikely unusual upcoming usable useful useless usual valid valuable various vast very vital weak well well-known
whole wide wider widespread wonderful worse worst worth wrong young younger`

const everydayWords = `
able accept access according achieve act action activity actual add address age agree air allow almost alone amount animal
answer appear apply approach area argue arm army art ask assume attack attempt attention available avoid base basic beat
become begin behaviour behavior believe big bill bit black blue board body book born bottom box boy break bring brother build building
business busy buy call capital car card care carry case catch cause center centre central century certain chance change
charge check child children choice choose church city claim class clear close cold collection college come command common
community company compare complete complex computer concern condition consider contain continue control copy cost country couple
course court cover create culture current cut daily dark data date daughter day dead deal death decade decide decision deep
define degree demand department depend describe design despite detail determine develop development die difference different
difficult direct direction director discover discuss division doctor dog door draw dream drive drop early earth east easy eat
economic economy education effect effort eight end energy enjoy enter entire environment equal error especially establish event
evening evidence exact example exist expect experience experiment explain eye face fact fail fall family famous far farm fast father fear
feature feel feet few field fight figure file fill film final find fine finger finish fire fish floor follow food foot force
foreign form free french friend front full function future game garden general get girl give glass go god gold good
government great green ground group grow growth guess gun guy hair half hall hand happen happy hard head health hear heart heat heavy
help high history hit hold home hope hospital hot hotel hour house human hundred husband idea image imagine important improve
include increase indicate individual industry information instance interest international involve island issue item job join keep
key kid kill kind king know knowledge land language large last late later laugh law lay lead leader learn leave left leg legal
less letter level lie life light likely limit line list listen little live local long look lose loss lot love low machine main
major make man manage management manager many mark market marriage mass material matter mean measure media medical meet meeting
member memory mention message method middle mile military million mind minister minute miss model modern moment money month
morning mother move movement movie much music name nation national natural nature near need network new news newspaper night
north note number object occur offer office officer official oil old open operation opportunity option order ordinary
organization original own page pain paint pair paper parent part particular party pass past patient pattern pay peace people
percent perform performance period person personal phone photo physical pick picture piece place plan plant play player point
police policy political poor popular population position possible post pound power practice prepare present president press
pressure pretty prevent previous price private probably problem process produce product production professional program project
property protect prove provide public pull purpose push put quality quarter question quick quickly quiet race raise range rate
reach read ready real reality realize reason receive recent recently recognize record red reduce reflect region relate
relation relationship religious remain remember remove report represent require research resource respond rest result return
reveal rich right rise risk river road rock role room rule run safe sale save say scene school science scientist sea season
seat second section security see seek seem sell send sense separate series serious serve service set seven sex shape share
shoot short shot show shut side sign similar simple simply single sister sit site situation six size skill skin sleep slow
small social society soldier son song sort sound source south space speak special specific speech speed spend staff stage stand
standard star start state statement station stay step stone stop store story street strong structure student study stuff style
subject success suddenly suffer suggest summer sun supply support sure surface system table take talk task tax teach teacher
team technology tell ten term test text thank theory thing think third thought thousand threat throw time title today tone top
total touch town trade training travel treat treatment tree trial trip trouble true trust truth try turn type understand union
unit university use user usual value various view village visit voice vote wait walk wall want war watch water way weapon wear
week weight west white wife wild win wind window winter wish woman women wonder wood word work worker world worry write wrong year young`

const commonWords = `
ability absence absolute abstract academic acceptable accident accompany account accurate acquire active actor acute adapt adjust
administration adopt adult advance advanced advantage advice affair affect afford africa agency agent agreement agriculture
aid aim aircraft album alcohol allocate alternative america american analysis analyze ancient angle announce annual anxiety
apartment apparent appeal appearance application appoint appropriate approval approve arise arrange arrangement arrest arrival
arrive article artist asia aspect assembly assess assessment asset assign assist assistance associate association assumption
atmosphere attach attend attitude attract audience author authority automatic average award aware background balance band bank
bar barrier basis battle bear beautiful beauty bed benefit bird birth bite blame block blood bond bone border boundary brain
branch brand brief bright britain british broad budget bus cabin calculate campaign cancer candidate capable capacity capture
career careful category cell ceremony chain chair challenge champion chance chapter character characteristic chemical chief
china chinese circle circumstance citizen civil classic clean client climate clock clothes cloud club coach coal coast code
coffee colleague collect colony color colour column combination combine comfort comment commercial commission commit committee
communicate communication comparison compete competition complain component compose composition comprehensive concentrate
concentration concept conclude conclusion conduct conference confidence confirm conflict confuse connect connection
consequence conservative consist constant constitute construct construction consult consumer contact contemporary content
contest context contract contrast contribute contribution convert convince cook cool core corner corporate correct council
count county coverage crash crazy cream creation creative credit crew crime criminal crisis criteria critical crop cross crowd
crucial cup curve customer cycle damage dance danger dangerous database deaf debate debt decline decrease defeat defend defense
defence deliver delivery democracy department deposit depth derive desert deserve desk destroy device diet differ dinner disappear
disaster discipline discount discovery discussion disease display distance distant distinct distinguish distribute distribution
district diverse document domestic dominant double doubt dozen drama dress drink driver drug dry duty earn ease eastern edge
edit edition editor educate effective efficient egg elect election electric element eliminate elsewhere emerge emergency emotion
emphasis empire employ employee employer employment empty enable encounter encourage enemy engage engine engineer engineering
england english enhance enormous ensure enterprise entity entrance equipment era escape essay essential estate estimate europe
european evaluate eventually exam examine exception exchange excite executive exercise exhibit expand expansion expensive
expert explanation explore expose express expression extend extension extensive external extra extraordinary extreme factor
factory faith false familiar fashion fat fault favor favour federal fee fellow female fiction fight finance financial
firm fit flat flight float flow flower fly focus folk force forest forget formal format formation former formula fortune forward
found foundation frame framework france freedom frequency frequent fresh fruit fuel fund fundamental funny gain gap gas gather
gene general generate generation gentle german germany giant gift global goal goods govern grade gradual grain grand grant graph grass
gray grey greek grid guarantee guard guest guide guideline habit handle hang harm hat hate height hero hide hill hire historian
historic historical hole holy honest honor horse host household housing hunt hurt ice identify identity ill illegal illness
illustrate immediate immigrant impact implement implication imply impose impossible impress improvement inch incident income
independent index india indian indicate industrial inequality infant influence inform initial initiative injury inner input inside
insist install institution instruction instrument insurance intellectual intelligence intend intense intention interaction
internal internet interpret interpretation interview introduce introduction invest investigate investigation investment invite iron
isolated italian italy japan japanese jewish joint journal journey judge judgment juice junior jury justice kitchen knee knife
label labor labour lack lake laboratory lady landscape largely laser launch lawyer layer leadership leaf league lecture length
lesson liberal library license licence lifetime lift link liquid literary literature load loan location lock logic london loose
lord luck lunch magazine mail maintain maintenance majority male manufacture manufacturer map margin marine massive master match mate
mathematics maximum meal meaning mechanism medicine medium mental menu merchant metal middle migration milk minimum minor
minority mission mistake mix mixture mode moderate modify module moon moral motion motor mount mountain mouth multiple murder
muscle museum musical mutual mystery narrative narrow native neck negative neighbor neighbour nerve neutral nice node noise normal
northern nose notion novel nuclear nurse objective obligation observation observe observer obtain obvious occasion occupation
occupy ocean odd offense ongoing online operate operator opinion opponent oppose opposite opposition orange organ organize
orient origin outcome output overcome overlap owe owner package painting panel paragraph parallel parliament participant
participate partner partnership passage passenger path payment peak perceive perception perfect permanent permission
permit perspective phase phenomenon philosophy phrase pilot pipe pitch plane planet plastic plate platform plenty poem poet
poetry poison pole politician politics pool portion portrait positive possess possession potential potato poverty powerful
prayer predict prefer preference pregnancy prepare presence preserve presidential prevent priest primary prime prince principal
principle print priority prison prisoner privacy prize procedure profession professor profile profit progress prohibit promise
promote proof proper proportion proposal propose prosecution prospect protection protein protest provision psychological
publication publish punishment purchase pure pursue qualify queen radical radio rain random rank rapid rare ratio raw react
reaction reader recall recipe recommend recommendation recover recovery reduction refer reference reform refugee refuse regard
regime regional register regulate regulation reject relative relax release relevant relief religion rely remote rent repair
repeat replace reply republic request requirement rescue resident resist resistance resolution resolve respect response
responsibility responsible restaurant restore restrict restriction retain retire revenue reverse review revolution reward rhythm
rice ride ring root rope rough round route routine royal rural russia russian sacred sail salary salt sample sand satisfy scale
scan schedule scheme scholar scientific scope score screen script search secret secretary sector secure select selection
senior sensitive sentence sequence session settle settlement severe shadow shake shelf shell shelter shift ship shirt shock shoe shop
shore shoulder signal significant silence silver sin sing singer slave slice slight slot smart smell smile smoke smooth snow soft
software soil solar solid solution solve soul southern spain spanish spatial species spectrum spirit spiritual split sport stale spot
spread spring square stability stable statistics status steel stick stimulate stock stomach storage storm straight strange
strategic strategy stream strength stress stretch strike string structural struggle studio sufficient sugar suit sum surgery
surprise surround survey survival survive suspect sustain sweet swim switch symbol symptom talent tall tank tape target taste
technical technique telephone television temperature tend tension terms territory terror terrorist testimony theater theatre
theme therapy thick thin threaten throat tie tight tiny tip tissue tobacco tool tooth topic tour tourist tower track tradition
traditional traffic transfer transform transformation transition translate transport transportation treaty tribe trick troop
truck tube twin typical ultimate uncle undergo uniform unique unity universal universe unknown upper urban urge vaccine valley
valuable variable variation variety vary vast vegetable vehicle venture verb version vessel veteran victim victory video violence
violent virtual virtue virus visible vision visual vital volume volunteer vulnerable wage wake warm warn wash waste wave weak
wealth wealthy weather web wedding welfare western wheat wheel whisper wide width wing winner wire wise witness wonderful wooden
yard yellow yield youth zone
api json sql cpu html url http https id ids ui os ip pdf xml yaml csv cli sdk db ok faq todo ai tv pc usa uk eu us io gpu ram`

const topicalWords = `
abbey abolish abortion absorb accelerate accent accountant acid acre activist adaptation addiction adhesive adjacent admiral aerial
aggregate aggressive airline airport alarm algorithm alliance allied alloy alphabet altar altitude aluminium aluminum amateur
ambassador ambition ambulance amendment analyst anatomy ancestor anchor annex anonymous antenna antibiotic antibody antique
apparatus appetite apple aquatic arbitrary arch archbishop archer architect architecture archive arena aristocrat array arrow
artery artificial ash assault astronomer astronomy athlete atlantic atom atomic auction audio audit australian automate automobile
autonomy autumn axis bacteria bake bakery balcony ballet balloon ballot bamboo bankruptcy banner bargain barn baron barrel baseball
basin basket basketball bass batch bath battery bay beach beam bean beef beer behalf bell belt bench biological biology bishop
bitter blade blanket blend blind blow boat bomb bond boot bore borrow boss botany bound bow bowl bread breakfast breast breath breed
breeze brewery brick bridge broadcast broker bronze brush bubble bucket bug bull bullet bundle burden bureau burn burst bury
bush butter button byte cable cache cake calcium calendar calm camera camp canal canvas cap carbon cardinal cargo carpet carrier
carve cast castle casual catalog catalogue cathedral catholic cattle cave ceiling celebrate cellular cement census ceramic cereal certificate
chamber channel chapel charity charter chart chase cheese chemistry chess chest chicken choir chord christian chromosome chronic
chunk circuit circular civilian civilization clause clay clergy clever click cliff clinic clinical closure cluster coalition coastal
coat cognitive coin collapse colonial column combat comedy comet comfort commander commerce commodity communist compact compass
compiler compliance compound compress compression comprise compromise compute concert concrete congress conquer conquest consensus conservation
console conspiracy constitution constitutional constraint container contamination continent convention cooking copper coral
cord corn corporation corridor corruption cotton counsel courage cousin cow craft crater creature creditor creek creep crown
cruel crust crystal cube cuisine cult cultivate cultural currency curriculum curtain custom customs dairy dam dashboard deadline
dealer decay deck declaration decorate default defect defendant deficit delay delegate democratic demographic density dental
deployment deputy descend descendant descent designer desktop detect detection detective developer diabetes diagnose diagnosis
diagram dialect dialogue diameter diamond dictate dictionary digest digestion digital dignity dilemma dimension diplomat diplomatic
dirt disability disc discharge discrimination dish disk dispute dissolve ditch dive divide divine divorce dock doctrine dolphin
domain donate donor dose dough download draft dragon drain drill drought drum duke dust dynamic dynasty eagle earthquake eclipse ecology
ecological ecosystem elastic elbow elder electrical electricity electron electronic electronics elegant elementary elephant elite
embassy embryo emission emit emperor enclosure encryption endorse engagement engraving enrollment enzyme epic epidemic episode
equation equator equity erosion essence ethical ethics ethnic evolution evolve excavation exclude execution exile exotic exploit
explosion export expose extinct extract fabric facade facility faction faculty fairy fame farmer farming fascist fatal fatigue fauna
feather federation fermentation ferry fertile fertility fertilizer festival feudal fever fiber fibre filter fisherman fishing fission flag flame
flavor flavour fleet flesh flexible flood flora flour flu fluid flute foam fog fold folder foliage football fort fortress fossil
fraction fracture fragment fraud freeze freight frog frontier frost fungus funeral fur furnace furniture fusion galaxy gallery
garlic gate gear gender genetic genius genome genre geography geological geology geometry ghost glacier gland globe glory glucose goat
golf governor grammar granite grape gravity grocery guitar gulf gut harbor harbour hardware harmony harvest hazard headline
heading headquarters healthcare heap heaven heir helicopter hell helmet herb herd heritage hip hockey holiday hollow honey hormone
horizon horn hostile hull humanity humid humidity hunter hurricane hybrid hydrogen hygiene hypothesis icon ideology idol immune
immunity imperial import incentive inclination independence indigenous infection infinite inflation infrastructure ingredient inhabitant inherit inheritance
inject injection inmate innocent innovation insect inspect inspection inspector institute instinct integer integrate integration intellectual interface
interior intermediate interval intervention invasion inventor invention inventory investor invoice ion irrigation isolation ivory jacket jail
jar jazz jet jewel joint joke jungle kernel keyboard kidney kingdom knight knot lamp landlord lane lawn lawsuit lazy lead lease leather
legacy legend legislation legislative legislature lemon lens leopard liability liberation liberty lightning limb limestone linear
linen lion lipid litigation liver livestock log logical loop lottery lung lyric magic magnet magnetic mammal mandate manor manual manuscript
marble march margin martial mask mason mathematical matrix mayor meadow measurement meat mechanic mechanical mechanics medal
medieval melody melt membrane memorial merge merger mess metabolism metaphor meteor methodology microscope midnight migrate mill
mine mineral miner mining ministry mirror missile missionary mobile molecular molecule momentum monarch monarchy monastery monetary
monitor monk monkey monopoly monster monument mood mortality mortgage mosque mosquito motive mud municipal muscle mushroom mutation myth mythology
nationalist naval navigate navigation navy necessity needle negotiate negotiation nest neuron nightmare nitrogen noble nomination norm
notification nucleus nutrient nutrition oak oath obesity obstacle oceanic offspring olive onion opera optical optimal optimistic oral orbit orchestra
ore organic organism orthodox outbreak outlet oven overhead oxide oxygen ozone pacific packet paddle palace palm panic parade paradox parameter
parasite parish particle passion password paste pastor pasture patch patent patrol pavement peasant pedal pen pension pepper percentage
permeable persistent petition petrol pharmacy philosopher philosophical photograph photographer physician physicist physics piano pig pigment pillar
pine pirate plague plaintiff planetary plantation plasma plaster plateau plot plug pocket podium polar pollen pollution polymer pond pope
porcelain port porter pottery prairie precedent precipitation precision predator premier premium prescription presentation prey pride prisoner
probability probe proceeding processor productivity profound programmer prohibition projection promoter propaganda propagation prophet
protocol province provincial psychology publisher pulse pump pupil puzzle pyramid quantum quarry query quest queue quota rabbit radar
radiation radius raid rail railroad railway rally ranch rat rebel rebellion receipt receptor recession recruit referee referendum
reflection refrigerator regiment reign rejection reliable relic reload renaissance renewable repository representation representative reproduction
reptile republican reservation reserve reservoir residence residential resin resort retail retention retreat retrieval revenge revival ribbon
rifle ritual rival roast robot rocket roman romance roof roster rotation rubber ruin ruler rumor rust sacrifice sailor saint salmon
sanctuary sanction satellite sauce sculpture seal sediment seed segment seizure semester seminar senate senator sensor sergeant sermon
server shaft shallow shark sheep sheet sheriff shield shrine shrimp sibling silicon silk simulation skeleton skull slavery
slope smelting snake soap soccer socialist sodium solvent sonata soup sovereign sovereignty spacecraft specimen sphere spice spider spine spiral
spouse squad stadium stain stake statue steam stem stereotype stimulus stir strait strand strategist straw streak strain stroke subsidy suburb
subsystem succession sulfur sulphur superior supervisor supplement supreme surgeon surgical suspension swamp sword syllable symphony synthesis
synthetic syntax tariff telescope temple tenant tenor tensor terminal terrain territorial textile texture theatrical theology theorem theoretical
thermal thesis thread thread throne thunder thyroid tick tide tiger tile timber timeout tin tin token toll tomb tomato topology torch tornado torque tort tournament
toxic trace tractor trademark tragedy trail transaction transcription transistor transit transmission transmit transparent trap trauma
treasure treasury tributary tribunal tribute trigger tropical tuition tumor tumour tunnel turbine turbulence turnover ulcer ultraviolet
undergraduate unemployment unanimous upgrade upstream uranium utility vacation vaccination vacuum valve vapor vapour variance vector vein velocity
verdict verse vertical vice villager vine vinegar violin vitamin vocabulary vocal volcano voltage voter voyage warehouse warfare warrant
warranty warrior watershed wavelength weave weed whale whip wholesale wildlife wilderness windmill wine wisdom wolf wool workforce workout
workshop worm worship wound wrist x-ray yeast zinc zoo`
