# Writes OUT, a C file that holds the FILES as the table wm_assets.
#     cmake -DOUT=assets.c -DFILES="a;b" -P embed.cmake
set(arrays "")
set(table "")
set(i 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char asset_${i}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", asset_${i}, ${length}ul},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUT} "#include \"report/assets.h\"\n\n${arrays}\n"
  "const wm_asset wm_assets[] = {\n${table}    {0, 0, 0}};\n")
