package storagelab

// The thesis' figures for the storage, means over ten runs of six updates.

// storagePaper is a row of its tables for one size and replication factor: the
// distributions over the nodes (6.20, 6.21, 6.23 to 6.26) and, by kind of query,
// messages (6.27), hops (6.28) and the medians of how long they take (6.19).
type storagePaper struct {
	nodes, r                                                int
	bandwidth, stored, voronoi, maintenance, result, update shapePaper
	messages, hops, took                                    queryPaper
}

// shapePaper is a row of a distribution: its mean, median, least, greatest and
// deviation.
type shapePaper struct{ mean, median, min, max, sd float64 }

// queryPaper is a figure for each kind of query.
type queryPaper struct{ store, actions, join, failure, update, look float64 }

var storagePapers = []storagePaper{
	{
		nodes: 200, r: 4,
		bandwidth:   shapePaper{312501, 281571, 39924, 978799, 167967},
		stored:      shapePaper{1001903, 896530, 89077, 3491244, 586639},
		voronoi:     shapePaper{893382, 796776, 107613, 2925142, 486386},
		maintenance: shapePaper{1958678, 1762719, 274100, 6771109, 1054042},
		result:      shapePaper{457507, 422019, 66593, 1335537, 217050},
		update:      shapePaper{2469591, 2264611, 489818, 7723169, 1178801},
		messages:    queryPaper{0, 2.00, 10.04, 5.67, 21.29, 3.03},
		hops:        queryPaper{0.7502, 1.1858, 1.8248, 1.7633, 1.7636, 1.4817},
		took:        queryPaper{0, 74.34, 584.89, 138.59, 444.25, 89.43},
	},
	{
		nodes: 400, r: 4,
		bandwidth:   shapePaper{206699, 184333, 21894, 743749, 115451},
		stored:      shapePaper{519579, 454540, 41002, 2038621, 324674},
		voronoi:     shapePaper{448825, 406616, 63643, 1506821, 238767},
		maintenance: shapePaper{964931, 860826, 154547, 3490365, 511146},
		result:      shapePaper{285373, 262272, 40262, 920329, 137999},
		update:      shapePaper{1333347, 1221104, 324273, 4183228, 597517},
		messages:    queryPaper{0, 2.00, 11.53, 5.00, 23.98, 3.68},
		hops:        queryPaper{0.7501, 1.2697, 1.8616, 1.8320, 1.8178, 1.6639},
		took:        queryPaper{0, 73.75, 412.22, 168.48, 377.48, 101.20},
	},
	{
		nodes: 600, r: 4,
		bandwidth:   shapePaper{168024, 148079, 16848, 619452, 98103},
		stored:      shapePaper{356020, 305940, 28681, 1572228, 238941},
		voronoi:     shapePaper{299595, 266798, 49244, 1137822, 159662},
		maintenance: shapePaper{633954, 565456, 89815, 2515736, 335348},
		result:      shapePaper{224183, 203553, 27272, 752130, 113375},
		update:      shapePaper{938731, 863422, 226378, 3108294, 404616},
		messages:    queryPaper{0, 2.00, 11.05, 4.99, 25.58, 4.21},
		hops:        queryPaper{0.7501, 1.3233, 1.8831, 1.8022, 1.8474, 1.7729},
		took:        queryPaper{0, 73.85, 571.66, 159.75, 366.58, 111.05},
	},
	{
		nodes: 800, r: 4,
		bandwidth:   shapePaper{151626, 130464, 15962, 621210, 94686},
		stored:      shapePaper{273875, 223161, 18281, 1287423, 190866},
		voronoi:     shapePaper{224679, 201638, 44617, 858612, 115858},
		maintenance: shapePaper{470399, 422121, 75402, 2450055, 245418},
		result:      shapePaper{194860, 174856, 23271, 714515, 102647},
		update:      shapePaper{737667, 683847, 203783, 3029458, 303561},
		messages:    queryPaper{0, 2.00, 10.78, 5.40, 26.96, 4.71},
		hops:        queryPaper{0.7501, 1.3631, 1.8919, 1.7851, 1.8722, 1.8560},
		took:        queryPaper{0, 73.95, 464.20, 143.90, 368.92, 120.37},
	},
	{
		nodes: 1000, r: 4,
		bandwidth:   shapePaper{142510, 120135, 13686, 623968, 94200},
		stored:      shapePaper{224879, 177676, 14525, 1102621, 162156},
		voronoi:     shapePaper{179732, 163138, 34783, 628639, 89450},
		maintenance: shapePaper{372008, 336373, 56341, 1424132, 185494},
		result:      shapePaper{177523, 158044, 19452, 660167, 97158},
		update:      shapePaper{613523, 573378, 171610, 1877254, 235924},
		messages:    queryPaper{0, 2.00, 11.55, 5.44, 28.04, 5.18},
		hops:        queryPaper{0.7501, 1.3971, 1.8995, 1.7726, 1.8936, 1.9270},
		took:        queryPaper{0, 74.18, 482.52, 134.53, 374.88, 129.62},
	},
	{
		nodes: 200, r: 9,
		bandwidth:   shapePaper{1402574, 1282548, 207646, 4326873, 746766},
		stored:      shapePaper{2221983, 1977324, 261386, 7730659, 1263569},
		voronoi:     shapePaper{2009908, 1764654, 288718, 7351443, 1160537},
		maintenance: shapePaper{4484391, 3990657, 755857, 14805793, 2528267},
		result:      shapePaper{920314, 855110, 160874, 2817404, 451693},
		update:      shapePaper{5239094, 4730160, 1092301, 16195553, 2725470},
		messages:    queryPaper{0, 5.00, 19.65, 10.01, 42.12, 6.56},
		hops:        queryPaper{0.8890, 1.1097, 1.7561, 1.7073, 1.8653, 1.3190},
		took:        queryPaper{0, 108.36, 824.91, 210.90, 1488.63, 149.09},
	},
	{
		nodes: 400, r: 9,
		bandwidth:   shapePaper{900363, 822925, 97234, 2978757, 484893},
		stored:      shapePaper{1159852, 1043833, 117382, 4216658, 666454},
		voronoi:     shapePaper{1009793, 893986, 146927, 3717551, 560727},
		maintenance: shapePaper{2208375, 1939256, 306902, 7948126, 1222903},
		result:      shapePaper{565061, 518292, 77669, 1848154, 282716},
		update:      shapePaper{2747941, 2464274, 534053, 8976225, 1359649},
		messages:    queryPaper{0, 5.00, 28.76, 11.10, 47.78, 7.40},
		hops:        queryPaper{0.8890, 1.1768, 1.8156, 1.7640, 1.9185, 1.4576},
		took:        queryPaper{0, 97.77, 580.74, 155.27, 1028.70, 112.65},
	},
	{
		nodes: 600, r: 9,
		bandwidth:   shapePaper{706211, 639285, 63156, 2520191, 379140},
		stored:      shapePaper{793701, 701961, 64853, 3087692, 464685},
		voronoi:     shapePaper{674079, 595196, 106831, 2689205, 370605},
		maintenance: shapePaper{1438197, 1262802, 219338, 5482398, 782298},
		result:      shapePaper{436215, 397339, 48781, 1537861, 217639},
		update:      shapePaper{1880583, 1692529, 415368, 6343249, 889351},
		messages:    queryPaper{0, 5.00, 27.36, 11.33, 51.05, 8.19},
		hops:        queryPaper{0.8890, 1.2167, 1.8416, 1.7625, 1.9401, 1.5440},
		took:        queryPaper{0, 93.62, 473.34, 164.72, 856.37, 118.80},
	},
	{
		nodes: 800, r: 9,
		bandwidth:   shapePaper{619602, 562754, 68448, 2313356, 339014},
		stored:      shapePaper{611708, 542879, 50873, 2527772, 363721},
		voronoi:     shapePaper{505535, 450221, 96032, 2117257, 268426},
		maintenance: shapePaper{1067474, 951108, 170490, 4490816, 569668},
		result:      shapePaper{374612, 341634, 44145, 1387661, 190400},
		update:      shapePaper{1453524, 1328233, 347374, 5269075, 659845},
		messages:    queryPaper{0, 5.00, 27.94, 11.64, 53.64, 8.94},
		hops:        queryPaper{0.8891, 1.2456, 1.8570, 1.7714, 1.9598, 1.6099},
		took:        queryPaper{0, 91.81, 482.71, 131.65, 788.64, 127.90},
	},
	{
		nodes: 1000, r: 9,
		bandwidth:   shapePaper{566710, 508031, 49217, 2164834, 312033},
		stored:      shapePaper{502412, 440936, 41016, 2084350, 302606},
		voronoi:     shapePaper{404397, 360888, 83422, 1651821, 209560},
		maintenance: shapePaper{847111, 753480, 139950, 3676084, 444652},
		result:      shapePaper{336991, 305741, 36154, 1216179, 172041},
		update:      shapePaper{1194943, 1092602, 303296, 4385024, 523094},
		messages:    queryPaper{0, 5.00, 27.21, 12.52, 55.64, 9.59},
		hops:        queryPaper{0.8890, 1.2694, 1.8655, 1.7867, 1.9748, 1.6597},
		took:        queryPaper{0, 90.56, 446.12, 131.17, 749.80, 137.52},
	},
	{
		nodes: 200, r: 16,
		bandwidth:   shapePaper{4021989, 3740941, 474121, 10566974, 2048416},
		stored:      shapePaper{3845811, 3433743, 431467, 13552313, 2180240},
		voronoi:     shapePaper{3542585, 3085236, 450883, 13884378, 2114902},
		maintenance: shapePaper{8351765, 7140488, 1135380, 34686912, 5204762},
		result:      shapePaper{1474925, 1358009, 0, 4907005, 763911},
		update:      shapePaper{9364230, 8119082, 1541429, 36799040, 5493017},
		messages:    queryPaper{0, 8.01, 37.91, 23.06, 63.67, 10.30},
		hops:        queryPaper{0.9380, 1.0703, 1.7106, 1.7559, 1.8943, 1.2432},
		took:        queryPaper{0, 225.00, 2853.31, 1546.92, 3906.53, 2244.79},
	},
	{
		nodes: 400, r: 16,
		bandwidth:   shapePaper{2610491, 2357034, 263269, 8520766, 1392159},
		stored:      shapePaper{2044399, 1829569, 172586, 7316606, 1161363},
		voronoi:     shapePaper{1795159, 1558933, 224575, 6597142, 1034184},
		maintenance: shapePaper{4009264, 3455413, 437957, 14816166, 2330788},
		result:      shapePaper{935665, 849367, 111770, 3164804, 476111},
		update:      shapePaper{4723306, 4145699, 702666, 16208901, 2521836},
		messages:    queryPaper{0, 8.01, 44.89, 25.29, 76.74, 11.34},
		hops:        queryPaper{0.9376, 1.1298, 1.7865, 1.7683, 1.9446, 1.3595},
		took:        queryPaper{0, 130.36, 1602.45, 489.53, 2586.33, 906.89},
	},
	{
		nodes: 600, r: 16,
		bandwidth:   shapePaper{2079190, 1881379, 220091, 8012680, 1100454},
		stored:      shapePaper{1412377, 1270325, 128280, 6188916, 800310},
		voronoi:     shapePaper{1198367, 1060174, 179571, 5388986, 680129},
		maintenance: shapePaper{2652790, 2326981, 358452, 11599003, 1536663},
		result:      shapePaper{728036, 662009, 86953, 2763084, 370125},
		update:      shapePaper{3240294, 2899126, 599444, 12834991, 1689194},
		messages:    queryPaper{0, 8.00, 48.60, 22.26, 82.62, 12.05},
		hops:        queryPaper{0.9376, 1.1670, 1.8170, 1.7949, 1.9733, 1.4403},
		took:        queryPaper{0, 115.99, 956.52, 343.28, 2047.59, 455.43},
	},
	{
		nodes: 800, r: 16,
		bandwidth:   shapePaper{1765370, 1602791, 180607, 6585592, 921782},
		stored:      shapePaper{1086139, 974240, 107865, 4251297, 607026},
		voronoi:     shapePaper{898629, 796718, 159476, 3447660, 488084},
		maintenance: shapePaper{1944689, 1697430, 277241, 8853076, 1094088},
		result:      shapePaper{614299, 559467, 67917, 2287304, 310333},
		update:      shapePaper{2453193, 2190656, 494157, 9934584, 1221452},
		messages:    queryPaper{0, 8.00, 54.12, 23.35, 85.14, 12.48},
		hops:        queryPaper{0.9377, 1.1954, 1.8368, 1.7639, 1.9849, 1.5029},
		took:        queryPaper{0, 109.82, 1284.39, 219.90, 1713.81, 260.07},
	},
	{
		nodes: 1000, r: 16,
		bandwidth:   shapePaper{1576419, 1442091, 157521, 5729352, 816822},
		stored:      shapePaper{888495, 794649, 81789, 3713642, 502852},
		voronoi:     shapePaper{718733, 637102, 139885, 2945922, 382182},
		maintenance: shapePaper{1527495, 1336350, 231665, 6743377, 832388},
		result:      shapePaper{545767, 498393, 57577, 1991206, 275960},
		update:      shapePaper{1982691, 1777544, 432879, 7693245, 941907},
		messages:    queryPaper{0, 8.00, 48.71, 23.28, 88.07, 13.16},
		hops:        queryPaper{0.9376, 1.2163, 1.8472, 1.7670, 1.9947, 1.5499},
		took:        queryPaper{0, 106.18, 644.33, 241.10, 1548.78, 202.97},
	},
}

// storagePaperOf returns the thesis' row for a size and replication factor.
func storagePaperOf(nodes, r int) (storagePaper, bool) {
	for _, p := range storagePapers {
		if p.nodes == nodes && p.r == r {
			return p, true
		}
	}
	return storagePaper{}, false
}
