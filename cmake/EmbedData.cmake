# truewheel_embed(TARGET FILE SYMBOL): compiles a text data file into TARGET as
#   namespace truewheel::data { extern const std::string_view SYMBOL; }
# so that the tables need no file at run time.
set(TRUEWHEEL_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/embed.cmake")
function(truewheel_embed target file symbol)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp")
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} -DINPUT=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DOUTPUT=${output}
            -DSYMBOL=${symbol} -P "${TRUEWHEEL_EMBED_SCRIPT}"
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}" "${TRUEWHEEL_EMBED_SCRIPT}" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
