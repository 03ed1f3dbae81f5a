#pragma once
#include <libxml/xmlversion.h>
// With ICU's headers in reach, its types would clash with those inside Foundation. Nothing here uses them.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/HTMLparser.h>
#include <libxml/xmlreader.h>
