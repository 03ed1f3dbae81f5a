#pragma once
#include <stdint.h>

// The part of PDFium's C interface that this product calls. PDFium's builds on PyPI come without headers, so the
// declarations are written here from its documentation.

typedef struct fpdf_document_t__ *FPDF_DOCUMENT;
typedef struct fpdf_page_t__ *FPDF_PAGE;
typedef struct fpdf_textpage_t__ *FPDF_TEXTPAGE;
typedef struct fpdf_bitmap_t__ *FPDF_BITMAP;
typedef struct fpdf_pageobject_t__ *FPDF_PAGEOBJECT;

typedef struct fpdf_annotation_t__ *FPDF_ANNOTATION;
typedef struct fpdf_form_handle_t__ *FPDF_FORMHANDLE;

typedef struct { float left, top, right, bottom; } FS_RECTF;
typedef struct { float a, b, c, d, e, f; } FS_MATRIX;

typedef struct {
  unsigned long m_FileLen;
  int (*m_GetBlock)(void *param, unsigned long position, unsigned char *buffer, unsigned long size);
  void *m_Param;
} FPDF_FILEACCESS;

enum { FPDF_ERR_SUCCESS, FPDF_ERR_UNKNOWN, FPDF_ERR_FILE, FPDF_ERR_FORMAT, FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY };
enum { FPDFBitmap_Gray = 1, FPDFBitmap_BGR, FPDFBitmap_BGRx, FPDFBitmap_BGRA };
enum { FPDF_ANNOT = 0x01, FPDF_GRAYSCALE = 0x08 };
enum { FPDF_PAGEOBJ_TEXT = 1, FPDF_PAGEOBJ_PATH, FPDF_PAGEOBJ_IMAGE, FPDF_PAGEOBJ_SHADING, FPDF_PAGEOBJ_FORM };

void FPDF_InitLibrary(void);
unsigned long FPDF_GetLastError(void);

// The access structure must outlive the document.
FPDF_DOCUMENT FPDF_LoadCustomDocument(FPDF_FILEACCESS *access, const char *password);
void FPDF_CloseDocument(FPDF_DOCUMENT document);
int FPDF_GetPageCount(FPDF_DOCUMENT document);
// UTF-16LE with its terminator; returns the bytes needed.
unsigned long FPDF_GetMetaText(FPDF_DOCUMENT document, const char *tag, void *buffer, unsigned long bytes);

FPDF_PAGE FPDF_LoadPage(FPDF_DOCUMENT document, int index);
void FPDF_ClosePage(FPDF_PAGE page);
float FPDF_GetPageWidthF(FPDF_PAGE page);
float FPDF_GetPageHeightF(FPDF_PAGE page);
int FPDF_GetPageBoundingBox(FPDF_PAGE page, FS_RECTF *box);
int FPDFPage_GetRotation(FPDF_PAGE page);
int FPDFPage_CountObjects(FPDF_PAGE page);
FPDF_PAGEOBJECT FPDFPage_GetObject(FPDF_PAGE page, int index);
int FPDFPageObj_GetType(FPDF_PAGEOBJECT object);
int FPDFPageObj_GetBounds(FPDF_PAGEOBJECT object, float *left, float *bottom, float *right, float *top);

FPDF_TEXTPAGE FPDFText_LoadPage(FPDF_PAGE page);
void FPDFText_ClosePage(FPDF_TEXTPAGE text);
int FPDFText_CountChars(FPDF_TEXTPAGE text);
unsigned int FPDFText_GetUnicode(FPDF_TEXTPAGE text, int index);
int FPDFText_IsGenerated(FPDF_TEXTPAGE text, int index);
int FPDFText_IsHyphen(FPDF_TEXTPAGE text, int index);
int FPDFText_HasUnicodeMapError(FPDF_TEXTPAGE text, int index);
double FPDFText_GetFontSize(FPDF_TEXTPAGE text, int index);
// UTF-8 with its terminator; flags as in the PDF font descriptor.
unsigned long FPDFText_GetFontInfo(FPDF_TEXTPAGE text, int index, void *buffer, unsigned long bytes, int *flags);
int FPDFText_GetFontWeight(FPDF_TEXTPAGE text, int index);
FPDF_PAGEOBJECT FPDFText_GetTextObject(FPDF_TEXTPAGE text, int index);
int FPDFText_GetMatrix(FPDF_TEXTPAGE text, int index, FS_MATRIX *matrix);
int FPDFText_GetLooseCharBox(FPDF_TEXTPAGE text, int index, FS_RECTF *box);
int FPDFText_GetCharBox(FPDF_TEXTPAGE text, int index, double *left, double *right, double *bottom, double *top);
int FPDFText_GetCharOrigin(FPDF_TEXTPAGE text, int index, double *x, double *y);

FPDF_BITMAP FPDFBitmap_CreateEx(int width, int height, int format, void *first, int stride);
void FPDFBitmap_Destroy(FPDF_BITMAP bitmap);
int FPDFBitmap_FillRect(FPDF_BITMAP bitmap, int left, int top, int width, int height, unsigned long argb);
void FPDF_RenderPageBitmap(
  FPDF_BITMAP bitmap, FPDF_PAGE page, int x, int y, int width, int height, int rotate, int flags);

// Fields of forms. Of the callbacks, which are for showing forms and running their scripts, none is given.
typedef struct {
  int version;
  void *callbacks[64];
} FPDF_FORMFILLINFO;
enum { FPDF_ANNOT_WIDGET = 20 };
enum {
  FPDF_FORMFIELD_CHECKBOX = 2, FPDF_FORMFIELD_RADIOBUTTON, FPDF_FORMFIELD_COMBOBOX, FPDF_FORMFIELD_LISTBOX,
  FPDF_FORMFIELD_TEXTFIELD
};
enum { FPDF_FORMFLAG_TEXT_PASSWORD = 1 << 13 };
int FPDF_GetFormType(FPDF_DOCUMENT document);
// The structure must outlive the handle, the handle must be given back before the document is.
FPDF_FORMHANDLE FPDFDOC_InitFormFillEnvironment(FPDF_DOCUMENT document, FPDF_FORMFILLINFO *info);
void FPDFDOC_ExitFormFillEnvironment(FPDF_FORMHANDLE form);
int FPDFPage_GetAnnotCount(FPDF_PAGE page);
FPDF_ANNOTATION FPDFPage_GetAnnot(FPDF_PAGE page, int index);
void FPDFPage_CloseAnnot(FPDF_ANNOTATION annotation);
int FPDFAnnot_GetSubtype(FPDF_ANNOTATION annotation);
int FPDFAnnot_GetRect(FPDF_ANNOTATION annotation, FS_RECTF *box);
int FPDFAnnot_GetFormFieldType(FPDF_FORMHANDLE form, FPDF_ANNOTATION annotation);
int FPDFAnnot_GetFormFieldFlags(FPDF_FORMHANDLE form, FPDF_ANNOTATION annotation);
// Texts are UTF-16LE with their terminator; the bytes needed are returned.
unsigned long FPDFAnnot_GetFormFieldName(FPDF_FORMHANDLE form, FPDF_ANNOTATION a, void *buffer, unsigned long bytes);
unsigned long FPDFAnnot_GetFormFieldAlternateName(
  FPDF_FORMHANDLE form, FPDF_ANNOTATION a, void *buffer, unsigned long bytes);
unsigned long FPDFAnnot_GetFormFieldValue(FPDF_FORMHANDLE form, FPDF_ANNOTATION a, void *buffer, unsigned long bytes);
unsigned long FPDFAnnot_GetStringValue(FPDF_ANNOTATION annotation, const char *key, void *buffer, unsigned long bytes);
int FPDFAnnot_GetOptionCount(FPDF_FORMHANDLE form, FPDF_ANNOTATION annotation);
unsigned long FPDFAnnot_GetOptionLabel(
  FPDF_FORMHANDLE form, FPDF_ANNOTATION a, int index, void *buffer, unsigned long bytes);
int FPDFAnnot_IsOptionSelected(FPDF_FORMHANDLE form, FPDF_ANNOTATION annotation, int index);
