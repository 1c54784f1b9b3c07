#include "tests/fuzz/generator.h"

#include "tests/fuzz/function_writer.h"

namespace slimgrad::hunt {

Program generate(std::uint64_t seed) {
    Random random(seed);
    Program program;
    const int structures = random.below(3);
    for (int i = 0; i < structures; ++i) {
        Structure& structure = program.structures.emplace_back();
        const int members = random.between(2, 3);
        for (int k = 0; k < members; ++k)
            structure.members.push_back(
                random.chance(60) ? real_type : Type{Type::Kind::vector, random.between(2, 3)});
    }
    std::vector<int> costs;
    const int helpers = random.between(0, 3);
    for (int i = 0; i < helpers; ++i) {
        FunctionWriter writer(random, program, costs);
        Function helper = writer.helper();
        costs.push_back(writer.cost());
        program.functions.push_back(std::move(helper));
    }
    FunctionWriter writer(random, program, costs);
    Function root = writer.root();
    program.functions.push_back(std::move(root));
    return program;
}

} // namespace slimgrad::hunt
