# Writes INPUT as a char array; an array, not a literal, since compilers cap literals at 64 KiB.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include <string_view>
namespace truewheel::data {
extern const std::string_view ${SYMBOL};
static constexpr unsigned char bytes[] = {
${bytes}0};
const std::string_view ${SYMBOL}{reinterpret_cast<const char*>(bytes), sizeof bytes - 1};
}  // namespace truewheel::data
")
